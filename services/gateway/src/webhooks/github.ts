import { code, flag, line, list, maybe, text } from "@fanfare/markup";
import { z } from "zod";
import { eventMessage, MAX_COMMITS, pushMessage, repositoryText } from "./forge.ts";
import { type Convert, read, type WebhookMessage } from "./webhook-message.ts";

const user = maybe(z.object({ login: text, name: text }));
const common = z.object({
  action: text,
  repository: z
    .object({ full_name: z.string(), html_url: text })
    .transform(({ full_name: name, html_url: url }) => ({ name, url })),
  sender: user,
});
const subject = z.object({
  number: text,
  title: text,
  html_url: text,
  body: text,
  merged: flag,
  draft: flag,
});
const push = common.extend({
  ref: z.string(),
  created: flag,
  deleted: flag,
  forced: flag,
  after: text,
  before: text,
  compare: text,
  compare_url: text,
  commits: list(z.object({ id: z.string(), message: text, url: text }), MAX_COMMITS),
  total_commits: text,
  pusher: user,
});
const withPullRequest = common.extend({ pull_request: subject });
const withIssue = common.extend({ issue: subject });
const withComment = withIssue.extend({ comment: z.object({ html_url: text, body: text }) });
const withRelease = common.extend({
  release: z.object({ html_url: text, tag_name: text, name: text, body: text, prerelease: flag }),
});
const withRun = common.extend({
  workflow: maybe(z.object({ name: text })),
  workflow_run: z.object({
    name: text,
    html_url: text,
    conclusion: text,
    head_branch: text,
    run_number: text,
  }),
});
const ping = z.object({ repository: maybe(common.shape.repository), zen: text });

const CONCLUSIONS = new Map([
  ["success", "✅"],
  ["failure", "❌"],
  ["timed_out", "❌"],
  ["startup_failure", "❌"],
  ["cancelled", "⚪"],
  ["action_required", "⚠️"],
]);
const OF_PULL_REQUESTS = new Map([
  ["opened", "opened"],
  ["reopened", "reopened"],
  ["closed", "closed"],
  ["ready_for_review", "asked for a review of"],
]);
const OF_ISSUES: ReadonlySet<string> = new Set(["opened", "closed", "reopened"]);
/** Instead of a commit: there is none. */
const NONE = /^0{40,64}$/;

const EVENTS = new Map<string, (payload: unknown) => WebhookMessage | null>([
  ["push", pushed],
  ["pull_request", pullRequest],
  ["issues", issue],
  ["issue_comment", comment],
  ["release", release],
  ["workflow_run", workflowRun],
  ["star", star],
  ["ping", connected],
]);

/** Events of GitHub, and of Gitea, Forgejo and Gogs, which took over its format: https://docs.github.com/webhooks */
export const fromGithub: Convert = (payload, { event }) => EVENTS.get(event)?.(payload) ?? null;

function pushed(payload: unknown): WebhookMessage | null {
  const { repository, pusher, sender, ref, commits, ...given } = read(push, payload);
  const isDeleted = given.deleted || NONE.test(given.after);
  const isCreated = given.created || NONE.test(given.before);
  return pushMessage({
    repository,
    who: sender?.login || pusher?.name || "",
    ref,
    url: given.compare || given.compare_url,
    commits: commits.items,
    total: Number(given.total_commits) || commits.total,
    change: isDeleted ? "deleted" : isCreated ? "created" : given.forced ? "forced" : null,
  });
}

function pullRequest(payload: unknown): WebhookMessage | null {
  const { action, repository, sender, pull_request: shown } = read(withPullRequest, payload);
  const did = OF_PULL_REQUESTS.get(action);
  if (did === undefined) return null;
  return eventMessage({
    repository,
    who: sender?.login ?? "",
    did: `${action === "closed" && shown.merged ? "merged" : did} pull request`,
    title: `#${shown.number} ${shown.title}`,
    url: shown.html_url,
    body: action === "opened" ? shown.body : "",
  });
}

function issue(payload: unknown): WebhookMessage | null {
  const { action, repository, sender, issue: shown } = read(withIssue, payload);
  if (!OF_ISSUES.has(action)) return null;
  return eventMessage({
    repository,
    who: sender?.login ?? "",
    did: `${action} issue`,
    title: `#${shown.number} ${shown.title}`,
    url: shown.html_url,
    body: action === "opened" ? shown.body : "",
  });
}

function comment(payload: unknown): WebhookMessage | null {
  const { action, repository, sender, issue: about, comment: shown } = read(withComment, payload);
  if (action !== "created") return null;
  return eventMessage({
    repository,
    who: sender?.login ?? "",
    did: "commented on",
    title: `#${about.number} ${about.title}`,
    url: shown.html_url,
    body: shown.body,
  });
}

function release(payload: unknown): WebhookMessage | null {
  const { action, repository, sender, release: shown } = read(withRelease, payload);
  if (action !== "published") return null;
  return eventMessage({
    repository,
    who: sender?.login ?? "",
    did: shown.prerelease ? "published prerelease" : "published release",
    title: shown.name || shown.tag_name,
    url: shown.html_url,
    body: shown.body,
  });
}

function workflowRun(payload: unknown): WebhookMessage | null {
  const { action, repository, workflow, workflow_run: run } = read(withRun, payload);
  const mark = CONCLUSIONS.get(run.conclusion);
  if (action !== "completed" || mark === undefined) return null;
  return eventMessage({
    repository,
    who: "",
    did: `${mark} ${line(run.conclusion.replaceAll("_", " "))} on ${code(run.head_branch)}:`,
    title: `${workflow?.name || run.name} #${run.run_number}`,
    url: run.html_url,
  });
}

function star(payload: unknown): WebhookMessage | null {
  const { action, repository, sender } = read(common, payload);
  return action === "created"
    ? eventMessage({
        repository,
        who: sender?.login ?? "",
        did: "starred this repository ⭐",
        title: "",
        url: "",
      })
    : null;
}

function connected(payload: unknown): WebhookMessage {
  const { repository, zen } = read(ping, payload);
  const of = repository === null ? "" : ` of ${repositoryText(repository)}`;
  return { text: `The webhook${of} is connected. ${line(zen)}`.trim() };
}
