import { readFileSync } from "node:fs";
import { parseMentions } from "@fanfare/contract";
import { ServiceError } from "@fanfare/kernel";
import { describe, expect, test } from "vitest";
import { kindNamed, messageOf, type Payload, recognize } from "./kinds.ts";

const PAYLOADS = new URL("../../test/payloads/", import.meta.url);
const OCTOKIT = "https://github.com/octokit/webhooks/tree/main/payload-examples/api.github.com";
const GO_GITLAB = "https://github.com/xanzy/go-gitlab/tree/main/testdata/webhooks";
const SENTRY = "https://docs.sentry.io/organization/integrations/integration-platform/webhooks";

/** Recorded payloads, shortened and without personal data; their sources; and the headers they come with. */
const RECORDED: readonly (readonly [
  file: string,
  kind: string,
  headers: Record<string, string>,
  source: string,
])[] = [
  [
    "slack-blocks",
    "slack",
    {},
    "https://docs.slack.dev/block-kit/ and https://docs.rs/slack-bk (tests/data)",
  ],
  [
    "slack-attachments",
    "slack",
    {},
    "https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments",
  ],
  ["discord", "discord", {}, "https://birdie0.github.io/discord-webhooks-guide/discord_webhook.html"],
  ["mattermost", "mattermost", {}, "https://developers.mattermost.com/integrate/webhooks/incoming/"],
  ["alertmanager", "alertmanager", {}, "https://docs.rs/crate/alertmanager-webhook-types (assets)"],
  ["grafana", "grafana", {}, "https://grafana.com/docs/grafana/v11.0/alerting/ (webhook notifier)"],
  ["github-push", "github", { "x-github-event": "push" }, OCTOKIT],
  ["github-pull-request", "github", { "x-github-event": "pull_request" }, OCTOKIT],
  ["github-issues", "github", { "x-github-event": "issues" }, OCTOKIT],
  ["github-issue-comment", "github", { "x-github-event": "issue_comment" }, OCTOKIT],
  ["github-release", "github", { "x-github-event": "release" }, OCTOKIT],
  ["github-workflow-run", "github", { "x-github-event": "workflow_run" }, OCTOKIT],
  ["github-star", "github", { "x-github-event": "star" }, OCTOKIT],
  ["github-ping", "github", { "x-github-event": "ping" }, OCTOKIT],
  [
    "gitea-push",
    "gitea",
    { "x-github-event": "push", "x-gogs-event": "push", "x-gitea-event": "push" },
    "https://docs.gitea.com/usage/webhooks",
  ],
  ["gitlab-push", "gitlab", { "x-gitlab-event": "Push Hook" }, GO_GITLAB],
  ["gitlab-tag-push", "gitlab", { "x-gitlab-event": "Tag Push Hook" }, GO_GITLAB],
  ["gitlab-merge-request", "gitlab", { "x-gitlab-event": "Merge Request Hook" }, GO_GITLAB],
  ["gitlab-issue", "gitlab", { "x-gitlab-event": "Issue Hook" }, GO_GITLAB],
  ["gitlab-note", "gitlab", {}, GO_GITLAB],
  ["gitlab-pipeline", "gitlab", { "x-gitlab-event": "Pipeline Hook" }, GO_GITLAB],
  ["sentry-event-alert", "sentry", { "sentry-hook-resource": "event_alert" }, `${SENTRY}/issue-alerts/`],
  ["sentry-metric-alert", "sentry", { "sentry-hook-resource": "metric_alert" }, `${SENTRY}/metric-alerts/`],
  ["sentry-plugin", "sentry", {}, "https://github.com/alerta/alerta-contrib/tree/master/webhooks/sentry"],
  ["uptime-kuma", "uptimekuma", {}, "https://github.com/louislam/uptime-kuma/issues/1207"],
  ["jenkins", "jenkins", {}, "https://gist.github.com/modcab/54972e9d46a85b9e3647"],
];

const recorded = (file: string): Payload =>
  JSON.parse(readFileSync(new URL(`${file}.json`, PAYLOADS), "utf8")) as Payload;

function convert(payload: Payload, headers: Record<string, string> = {}, name?: string) {
  const kind = name === undefined ? recognize(payload, headers) : kindNamed(name);
  const message = messageOf(kind, payload, headers);
  return { kind, message, text: message === null ? null : String(message.content) };
}

test.each(RECORDED)("%s is recognized as %s and becomes its message", async (file, name, headers) => {
  const { kind, text, message } = convert(recorded(file), headers);
  expect(kind.name).toBe(name);
  const cards = message?.cards === undefined ? "" : `\n${JSON.stringify(message.cards, null, 2)}\n`;
  await expect(`${text}\n${cards}`).toMatchFileSnapshot(`../../test/payloads/${file}.txt`);
});

describe("events that aren't worth a message", () => {
  const change = (file: string, changes: Record<string, unknown>) => ({ ...recorded(file), ...changes });
  const attributes = (file: string, changes: Record<string, unknown>) => {
    const payload = recorded(file);
    return change(file, { object_attributes: { ...(payload["object_attributes"] as object), ...changes } });
  };
  test.each([
    [
      "a label on a pull request",
      change("github-pull-request", { action: "labeled" }),
      { "x-github-event": "pull_request" },
    ],
    ["a star taken back", change("github-star", { action: "deleted" }), { "x-github-event": "star" }],
    ["an unknown event of GitHub", recorded("github-star"), { "x-github-event": "watch" }],
    ["an event named like a property", recorded("github-star"), { "x-github-event": "constructor" }],
    [
      "a draft of a release",
      change("github-release", { action: "created" }),
      { "x-github-event": "release" },
    ],
    [
      "a started workflow",
      change("github-workflow-run", { action: "requested" }),
      { "x-github-event": "workflow_run" },
    ],
    ["a started pipeline", attributes("gitlab-pipeline", { status: "running" }), {}],
    ["a label on a merge request", attributes("gitlab-merge-request", { action: "update" }), {}],
    ["a note of GitLab itself", attributes("gitlab-note", { system: true }), {}],
    ["each error of Sentry", recorded("sentry-event-alert"), { "sentry-hook-resource": "error" }],
    [
      "a started build",
      change("jenkins", { build: { ...(recorded("jenkins")["build"] as object), phase: "STARTED" } }),
      {},
    ],
    ["no alerts", change("alertmanager", { alerts: [] }), {}],
  ])("%s", (_what, payload, headers) => {
    expect(convert(payload, headers).message).toBeNull();
  });
});

test("a push to GitHub says whether it deletes or overwrites a branch, and lists at most ten commits", () => {
  const headers = { "x-github-event": "push" };
  const push = (changes: Record<string, unknown>) =>
    convert({ ...recorded("github-push"), created: false, before: "1".repeat(40), ...changes }, headers).text;
  const [commit] = recorded("github-push")["commits"] as unknown[];
  expect(push({ deleted: true, after: "0".repeat(40), commits: [] })).toContain(
    "Codertocat deleted branch `master`",
  );
  expect(push({ ref: "refs/tags/v1", created: true, commits: [] })).toContain("created tag `v1`");
  expect(push({ forced: true })).toContain("force-pushed [1 commit](");
  expect(push({ forced: true, commits: [] })).toContain("force-pushed `master`");
  expect(push({ commits: [] })).toBeNull();
  const many = push({ commits: Array.from({ length: 12 }, () => commit) })!.split("\n");
  expect(many).toHaveLength(12);
  expect(many.at(-1)).toMatch(/^- \[2 more\]\(https/);
});

test("a build that is reported in two phases has one nonce", () => {
  const build = recorded("jenkins")["build"] as object;
  const nonces = ["COMPLETED", "FINALIZED"].map(
    (phase) => convert({ ...recorded("jenkins"), build: { ...build, phase } }).message?.nonce,
  );
  expect(nonces).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), nonces[0]]);
});

describe("hostile payloads", () => {
  const VALUES = [
    null,
    5,
    true,
    "text",
    [],
    {},
    [[[]]],
    [null],
    { text: {} },
    "@everyone [x](https://evil.example)",
  ];

  test("wrong types are an error of the sender, or left out", () => {
    for (const [file, name, headers] of RECORDED)
      for (const value of VALUES)
        for (const changed of withEachChanged(recorded(file), value))
          expect(outcomeOf(changed as Payload, headers, name)).not.toMatch(/^\w*Error: |\[object Object\]/);
  });

  test("huge lists are shortened before they are read", () => {
    const many = <T>(one: T): T[] => Array.from({ length: 100_000 }, () => one);
    const { text } = convert({ attachments: many({ text: "a" }), blocks: many({ type: "divider" }) });
    expect(text!.length).toBeLessThan(1000);
    const alert = (recorded("alertmanager")["alerts"] as unknown[])[0];
    expect(convert({ ...recorded("alertmanager"), alerts: many(alert), truncatedAlerts: 5 }).text).toContain(
      "[99985 more](",
    );
  });

  test("nothing but a chat's own text mentions people", () => {
    const evil = "@everyone @here <@0123456789abcdef01234567> `@everyone` \\@everyone ```\n@here";
    for (const [file, name, headers] of RECORDED) {
      if (["discord", "mattermost", "slack"].includes(name)) continue;
      for (const changed of withEachChanged(recorded(file), evil)) {
        const text = outcomeOf(changed as Payload, headers, name);
        expect(parseMentions(text)).toEqual({ userIds: [], roleIds: [], everyone: false });
      }
    }
  });
});

/** The text, or the code of the error. */
function outcomeOf(payload: Payload, headers: Record<string, string>, name: string): string {
  try {
    return convert(payload, headers, name).text ?? "";
  } catch (error) {
    return error instanceof ServiceError ? error.type : String(error);
  }
}

/** Copies of a value, each with another part of it replaced. */
function* withEachChanged(value: unknown, by: unknown): Generator {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const copy = (changed: unknown) =>
      Array.isArray(value)
        ? value.map((one: unknown, index) => (String(index) === key ? changed : one))
        : { ...value, [key]: changed };
    yield copy(by);
    for (const changed of withEachChanged(inner, by)) yield copy(changed);
  }
}

test("a payload of no known kind says what to do", () => {
  expect(() => recognize({ a: 1 }, {})).toThrow(
    expect.objectContaining({
      type: "VALIDATION_FAILED",
      data: { issues: [expect.objectContaining({ path: "content" })] },
    }),
  );
  expect(() => kindNamed("teams")).toThrow(expect.objectContaining({ type: "VALIDATION_FAILED" }));
  expect(() => convert(recorded("github-push"), {}, "github")).toThrow(
    expect.objectContaining({
      data: { issues: [{ path: "headers", message: "must have x-github-event with the name of the event" }] },
    }),
  );
});
