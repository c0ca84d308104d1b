import { code, line, lines, link, list, maybe, plain, short, text } from "@fanfare/markup";
import { invalid } from "@fanfare/kernel";
import { z } from "zod";
import { type Convert, read, type WebhookMessage } from "./webhook-message.ts";

const issue = z.object({
  title: text,
  culprit: text,
  level: text,
  web_url: text,
  permalink: text,
  environment: text,
  project: maybe(z.object({ name: text, slug: text })),
});
const sentry = z.object({
  action: text,
  data: z.object({
    event: maybe(issue),
    issue: maybe(issue),
    triggered_rule: text,
    description_title: text,
    description_text: text,
    web_url: text,
  }),
});
/** Sent by the older plug-in for webhooks, without a header. */
const ofPlugin = z.object({
  project_name: text,
  message: text,
  culprit: text,
  level: text,
  url: text,
  triggering_rules: list(z.string(), 5),
  event: maybe(z.object({ title: text })),
});

const MARKS = new Map([
  ["fatal", "🔴"],
  ["error", "🔴"],
  ["critical", "🔴"],
  ["warning", "🟡"],
  ["resolved", "🟢"],
]);
const OF_ISSUES: ReadonlySet<string> = new Set(["created", "resolved", "unresolved"]);

/** Alerts and issues of Sentry: https://docs.sentry.io/organization/integrations/integration-platform/webhooks/ */
export const fromSentry: Convert = (payload, { event: resource }) => {
  switch (resource) {
    case "":
      return pluginMessage(payload);
    case "event_alert":
    case "issue":
    case "metric_alert":
      return read(sentry, payload).data.description_title === ""
        ? issueMessage(payload, resource)
        : metricMessage(payload);
    default:
      return null;
  }
};

function issueMessage(payload: unknown, resource: string): WebhookMessage | null {
  const { action, data } = read(sentry, payload);
  const shown = data.event ?? data.issue;
  if (shown === null) throw invalid("data", "has neither `event` nor `issue`");
  if (resource === "issue" && !OF_ISSUES.has(action)) return null;
  const project = shown.project?.name || shown.project?.slug || "";
  const url = shown.web_url || shown.permalink;
  return issueText({
    ...shown,
    level: action === "resolved" ? "resolved" : shown.level,
    title: shown.title,
    about: [project, shown.environment, resource === "issue" ? `issue ${action}` : data.triggered_rule],
    url,
  });
}

function metricMessage(payload: unknown): WebhookMessage {
  const { action, data } = read(sentry, payload);
  const text = lines(
    `${MARKS.get(action) ?? "🔵"} **${link(data.description_title, data.web_url)}**`,
    plain(short(data.description_text, 1000)),
  );
  return { text, url: data.web_url };
}

function pluginMessage(payload: unknown): WebhookMessage {
  const {
    event,
    message,
    project_name: project,
    triggering_rules: rules,
    ...shown
  } = read(ofPlugin, payload);
  const title = event?.title || message;
  if (title === "") throw invalid("message", "is missing or empty");
  return issueText({ ...shown, title, about: [project, ...rules.items] });
}

function issueText(shown: {
  level: string;
  title: string;
  culprit: string;
  url: string;
  about: readonly string[];
}): WebhookMessage {
  const text = lines(
    `${MARKS.get(shown.level) ?? "🔵"} **${link(shown.title || "Issue", shown.url)}**`,
    code(shown.culprit),
    line(shown.about.filter(Boolean).join(" · ")),
  );
  return { text, url: shown.url };
}
