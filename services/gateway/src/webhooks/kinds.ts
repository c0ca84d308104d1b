import { toMessageContent, short } from "@fanfare/markup";
import type { IncomingHttpHeaders } from "node:http";
import { LIMITS } from "@fanfare/contract";
import { invalid } from "@fanfare/kernel";
import { fromAlertmanager, fromGrafana, fromSentry, fromUptimeKuma } from "./alerts.ts";
import { fromDiscord, fromMattermost, fromSlack } from "./chat-services.ts";
import { fromGithub } from "./github.ts";
import { fromGitlab } from "./gitlab.ts";
import { fromJenkins } from "./jenkins.ts";
import type { Convert } from "./webhook-message.ts";

export type Payload = Readonly<Record<string, unknown>>;

export interface Kind {
  /** The end of the address for payloads that can't be recognized: `…/slack`. */
  name: string;
  /** null: the fields are those of `webhook.execute`. */
  convert: Convert | null;
  /** The headers with the name of the event, which only this service sends. */
  headers?: readonly string[];
  /** Whether a payload without such a header is of this kind. */
  matches?: (payload: Payload) => boolean;
  /** Whose responses the sender expects, other than Fanfare's. */
  answers?: "slack" | "discord";
}

/** In the order in which they are tried: Gitea also sends GitHub's header, and Grafana's alerts have Alertmanager's fields. */
const KINDS: readonly Kind[] = [
  {
    name: "gitea",
    convert: fromGithub,
    headers: ["x-gitea-event", "x-forgejo-event", "x-gogs-event"],
  },
  { name: "github", convert: fromGithub, headers: ["x-github-event"] },
  {
    name: "gitlab",
    convert: fromGitlab,
    headers: ["x-gitlab-event"],
    matches: has("object_kind"),
  },
  {
    name: "sentry",
    convert: fromSentry,
    headers: ["sentry-hook-resource"],
    matches: has("project_slug", "culprit"),
  },
  {
    name: "grafana",
    convert: fromGrafana,
    matches: (payload) => has("alerts")(payload) && ("orgId" in payload || "state" in payload),
  },
  { name: "alertmanager", convert: fromAlertmanager, matches: has("alerts", "status") },
  { name: "uptimekuma", convert: fromUptimeKuma, matches: has("heartbeat", "monitor", "msg") },
  {
    name: "jenkins",
    convert: fromJenkins,
    matches: ({ name, build }) =>
      typeof name === "string" && typeof build === "object" && build !== null && "phase" in build,
  },
  {
    name: "discord",
    convert: fromDiscord,
    matches: hasOneOf("embeds", "avatar_url", "allowed_mentions", "components", "tts", "thread_name"),
    answers: "discord",
  },
  { name: "fanfare", convert: null, matches: hasOneOf("content", "cards") },
  {
    name: "mattermost",
    convert: fromMattermost,
    matches: hasOneOf("props", "priority"),
    answers: "slack",
  },
  {
    name: "slack",
    convert: fromSlack,
    matches: hasOneOf("text", "blocks", "attachments"),
    answers: "slack",
  },
];

/** @throws {ServiceError} VALIDATION_FAILED */
export function kindNamed(name: string): Kind {
  const kind = KINDS.find((one) => one.name === name);
  if (kind !== undefined) return kind;
  throw invalid(
    "address",
    `must end with the token, or with one of: ${KINDS.map((one) => one.name).join(", ")}`,
  );
}

/** @throws {ServiceError} VALIDATION_FAILED */
export function recognize(payload: Payload, headers: IncomingHttpHeaders, hasFiles = false): Kind {
  const kind =
    KINDS.find((one) => eventOf(one, headers) !== "") ?? KINDS.find((one) => one.matches?.(payload) === true);
  if (kind !== undefined) return kind;
  if (hasFiles) return kindNamed("fanfare");
  throw invalid(
    "content",
    "is missing, and the payload is of no known service: add the service to the address, such as /slack or /github",
  );
}

/** The parameters of `webhook.execute`, not checked yet. */
export interface Message {
  content: unknown;
  cards?: unknown;
  controls?: unknown;
  name: unknown;
  avatarUrl: unknown;
  nonce: unknown;
}

/**
 * null: the event isn't worth a message.
 * @throws {ServiceError} VALIDATION_FAILED
 */
export function messageOf(
  kind: Kind,
  payload: Payload,
  headers: IncomingHttpHeaders,
  hasFiles = false,
): Message | null {
  if (kind.convert === null)
    return {
      content: payload["content"],
      cards: payload["cards"],
      controls: payload["controls"],
      name: payload["name"] ?? payload["username"],
      avatarUrl: payload["avatarUrl"] ?? payload["avatar_url"] ?? payload["icon_url"],
      nonce: payload["nonce"],
    };
  const event = eventOf(kind, headers);
  if (event === "" && kind.headers !== undefined && kind.matches === undefined)
    throw invalid("headers", `must have ${kind.headers[0]!} with the name of the event`);
  const message = kind.convert(payload, { event, hasFiles });
  if (message === null) return null;
  const { text, rich, url, username = "", avatarUrl = "", nonce = payload["nonce"] } = message;
  const name = short(username.trim(), LIMITS.nicknameMaxChars);
  return {
    ...toMessageContent({ text, rich }, url),
    name: name === "" ? undefined : name,
    avatarUrl: avatarUrl === "" ? undefined : avatarUrl,
    nonce: typeof nonce === "string" ? nonce : undefined,
  };
}

/** The name of the event, if the service sends it in a header; otherwise empty. */
function eventOf(kind: Kind, headers: IncomingHttpHeaders): string {
  const value = kind.headers?.map((name) => headers[name]).find((one) => one !== undefined);
  return typeof value === "string" ? value : "";
}

function has(...fields: readonly string[]) {
  return (payload: Payload) => fields.every((field) => Object.hasOwn(payload, field));
}

function hasOneOf(...fields: readonly string[]) {
  return (payload: Payload) => fields.some((field) => Object.hasOwn(payload, field));
}
