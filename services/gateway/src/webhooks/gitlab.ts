import { code, flag, line, list, maybe, text } from "@fanfare/markup";
import { z } from "zod";
import { eventMessage, MAX_COMMITS, pushMessage } from "./forge.ts";
import { type Convert, read, type WebhookMessage } from "./webhook-message.ts";

const project = z
  .object({ path_with_namespace: text, name: text, web_url: text })
  .transform(({ path_with_namespace: path, name, web_url: url }) => ({ name: path || name, url }));
const titled = maybe(z.object({ iid: text, title: text, message: text }));
const common = z.object({ project, user: maybe(z.object({ name: text, username: text })) });
const push = z.object({
  project,
  ref: z.string(),
  before: text,
  after: text,
  user_name: text,
  commits: list(z.object({ id: z.string(), message: text, url: text }), MAX_COMMITS),
  total_commits_count: text,
});
const about = common.extend({
  object_attributes: z.object({ iid: text, title: text, url: text, action: text, description: text }),
});
const note = common.extend({
  object_attributes: z.object({ note: text, url: text, system: flag }),
  merge_request: titled,
  issue: titled,
  snippet: titled,
  commit: titled,
});
const pipeline = common.extend({
  object_attributes: z.object({ id: text, ref: text, status: text, url: text, duration: text }),
});

/** Instead of a commit: there is none. */
const NONE = /^0{40,64}$/;
const DONE = new Map([
  ["open", "opened"],
  ["close", "closed"],
  ["reopen", "reopened"],
  ["merge", "merged"],
  ["approved", "approved"],
]);
const STATUSES = new Map([
  ["success", "✅ succeeded"],
  ["failed", "❌ failed"],
  ["canceled", "⚪ was canceled"],
]);

const KINDS = new Map<string, (payload: unknown) => WebhookMessage | null>([
  ["push", pushed],
  ["tag_push", pushed],
  ["merge_request", (payload) => changed(payload, "merge request", "!")],
  ["issue", (payload) => changed(payload, "issue", "#")],
  ["work_item", (payload) => changed(payload, "work item", "#")],
  ["note", noted],
  ["pipeline", finished],
]);

const ofKind = z.object({ object_kind: z.string() });

/** Events of GitLab: https://docs.gitlab.com/user/project/integrations/webhook_events/ */
export const fromGitlab: Convert = (payload) =>
  KINDS.get(read(ofKind, payload).object_kind)?.(payload) ?? null;

function pushed(payload: unknown): WebhookMessage | null {
  const { project: repository, commits, ref, before, after, ...given } = read(push, payload);
  const compare = `${repository.url}/-/compare/${before.slice(0, 40)}...${after.slice(0, 40)}`;
  return pushMessage({
    repository,
    who: given.user_name,
    ref,
    url: NONE.test(before) ? repository.url : compare,
    // GitLab has the newest last, and sends at most 20.
    commits: commits.items,
    total: Number(given.total_commits_count) || commits.total,
    change: NONE.test(after) ? "deleted" : NONE.test(before) ? "created" : null,
  });
}

function changed(payload: unknown, what: string, sign: string): WebhookMessage | null {
  const { project: repository, user, object_attributes: shown } = read(about, payload);
  const did = DONE.get(shown.action);
  if (did === undefined) return null;
  return eventMessage({
    repository,
    who: user?.name ?? "",
    did: `${did} ${what}`,
    title: `${sign}${shown.iid} ${shown.title}`,
    url: shown.url,
    body: shown.action === "open" ? shown.description : "",
  });
}

function noted(payload: unknown): WebhookMessage | null {
  const { project: repository, user, object_attributes: shown, ...on } = read(note, payload);
  if (shown.system) return null;
  const [sign, target] =
    on.merge_request !== null ? (["!", on.merge_request] as const) : (["#", on.issue ?? on.snippet] as const);
  const title = target === null ? (on.commit?.message.split("\n", 1)[0] ?? "") : target.title;
  return eventMessage({
    repository,
    who: user?.name ?? "",
    did: "commented on",
    title: target === null || target.iid === "" ? title : `${sign}${target.iid} ${title}`,
    url: shown.url,
    body: shown.note,
  });
}

function finished(payload: unknown): WebhookMessage | null {
  const { project: repository, user, object_attributes: run } = read(pipeline, payload);
  const status = STATUSES.get(run.status);
  if (status === undefined) return null;
  const by = user === null ? "" : ` of ${line(user.name, 100)}`;
  const seconds = run.duration === "" ? "" : ` after ${line(run.duration)} s`;
  return eventMessage({
    repository,
    who: "",
    did: `a pipeline${by} on ${code(run.ref)} ${status}${seconds}:`,
    title: `#${run.id}`,
    url: run.url || `${repository.url}/-/pipelines/${run.id}`,
  });
}
