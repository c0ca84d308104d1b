import { invalid } from "@fanfare/kernel";
import {
  bold,
  code,
  line,
  lines,
  link,
  list,
  maybe,
  pairs,
  paragraphs,
  plain,
  short,
  text,
} from "@fanfare/markup";
import { z } from "zod";
import { type Convert, read, type WebhookMessage } from "./webhook-message.ts";

const MAX_ALERTS = 20;
const MAX_LABELS = 30;
const MAX_TEXT_CHARS = 1000;
/** Already in the first line. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["alertname", "severity", "grafana_folder"]);

const alert = z.object({
  status: text,
  labels: pairs(MAX_LABELS),
  annotations: pairs(MAX_LABELS),
  generatorURL: text,
  dashboardURL: text,
  panelURL: text,
  silenceURL: text,
  valueString: text,
});
const alerts = list(alert, MAX_ALERTS);
const alertmanager = z.object({ status: z.string(), alerts, externalURL: text, truncatedAlerts: text });

/** Notifications of Alertmanager, version 4: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config */
export const fromAlertmanager: Convert = (payload) => {
  const { alerts, externalURL: url, truncatedAlerts } = read(alertmanager, payload);
  if (alerts.total === 0) return null;
  // Not sent, because of the receiver's `max_alerts`.
  const total = alerts.total + (Number(truncatedAlerts) || 0);
  return { text: alertsText({ ...alerts, total }, url), url };
};

/** Those that are firing come first. */
function alertsText({ items, total }: z.output<typeof alerts>, url: string): string {
  const ordered = items.toSorted((a, b) => Number(isResolved(a)) - Number(isResolved(b)));
  const more = total - items.length;
  return paragraphs(...ordered.map(alertText), more > 0 ? link(`${more} more`, url) : "");
}

type Alert = z.output<typeof alert>;

const isResolved = ({ status }: Alert): boolean => status === "resolved";

function alertText(one: Alert): string {
  const label = valueOf(one.labels);
  const annotation = valueOf(one.annotations);
  const name = label("alertname");
  const title = annotation("summary") || annotation("title") || name || "Alert";
  const mark = isResolved(one) ? "🟢 Resolved:" : label("severity") === "warning" ? "🟡" : "🔴";
  const about = [title === name ? "" : name, label("severity")].filter(Boolean).join(", ");
  const runbook = annotation("runbook_url") || annotation("runbook");
  const links = [
    link("Source", one.generatorURL),
    link("Dashboard", one.dashboardURL),
    link("Panel", one.panelURL),
    link("Runbook", runbook),
    link("Silence", one.silenceURL),
  ].filter((shown) => shown.startsWith("["));
  return lines(
    `${mark} ${bold(title)}${about === "" ? "" : ` (${line(about)})`}`,
    plain(short(annotation("description") || annotation("message"), MAX_TEXT_CHARS)),
    one.labels
      .filter(({ name, value }) => !NOT_SHOWN.has(name) && value !== "")
      .map(({ name, value }) => `${line(name)}: ${code(value)}`)
      .join(" · "),
    line(one.valueString),
    links.join(" · "),
    runbook === "" || URL.canParse(runbook) ? "" : `Runbook: ${line(runbook)}`,
  );
}

const valueOf =
  (entries: Alert["labels"]) =>
  (name: string): string =>
    entries.find((entry) => entry.name === name)?.value ?? "";

const grafana = z.object({ alerts, title: text, message: text, externalURL: text });

/** Notifications of Grafana's unified alerting: https://grafana.com/docs/grafana/latest/alerting/ */
export const fromGrafana: Convert = (payload) => {
  const { alerts, title, message, externalURL: url } = read(grafana, payload);
  const shown = alerts.total > 0 ? alertsText(alerts, url) : lines(bold(title), plain(message));
  if (shown === "") throw invalid("alerts", "is missing or empty");
  return { text: shown, url };
};

const uptimeKuma = z.object({
  msg: z.string(),
  monitor: maybe(z.object({ name: text, url: text, hostname: text })),
  heartbeat: maybe(z.object({ status: text, msg: text })),
});

const STATES = new Map([
  ["0", "🔴 Down:"],
  ["1", "🟢 Up:"],
  ["2", "🟡 Pending:"],
  ["3", "🔵 Under maintenance:"],
]);

/** Notifications of Uptime Kuma: https://github.com/louislam/uptime-kuma/issues/1207. Those about certificates have only a text. */
export const fromUptimeKuma: Convert = (payload) => {
  const { msg, monitor, heartbeat } = read(uptimeKuma, payload);
  const state = STATES.get(heartbeat?.status ?? "");
  if (monitor === null || heartbeat === null || state === undefined)
    return { text: plain(short(msg, MAX_TEXT_CHARS)) };
  // The address of monitors that don't use HTTP.
  const url = monitor.url === "https://" ? "" : monitor.url;
  const linked = link(monitor.name, url);
  const name = linked.startsWith("[") ? `**${linked}**` : bold(monitor.name);
  const details = plain(short(heartbeat.msg.trim(), MAX_TEXT_CHARS));
  return { text: `${state} ${name}${details === "" ? "" : `\n${details}`}`, url };
};

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
