import { setTimeout as delay } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { retryMs } from "@fanfare/client";
import { LIMITS } from "@fanfare/contract";
import { bold, fit, httpUrl, lines, plain, short, withoutMentions } from "@fanfare/markup";
import { z } from "zod";
import type { BridgedChannel } from "./bridge-config.ts";
import {
  BACKOFF,
  FILES_TIMEOUT_MS,
  MAX_FILES_TIMEOUTS,
  MAX_SERVER_ERRORS,
  REQUEST_TIMEOUT_MS,
} from "./constants.ts";
import {
  type Answer,
  isOk,
  isTemporary,
  type RemoteFile,
  type RemoteMessage,
  request,
} from "./matterbridge.ts";

/** Messages with such a nonce come from other networks: they aren't sent back there. */
export const NONCE_PREFIX = "bridge-";

export interface PostOptions {
  signal: AbortSignal;
  log: (line: string) => void;
  /** Default: 1 minute. */
  filesTimeoutMs?: number;
}

interface Post {
  content: string;
  name: string | undefined;
  avatarUrl: string | undefined;
  files: { name: string; bytes: Buffer }[];
}

/** A control character, and the numbers that follow the one for colors in IRC. */
const CONTROL = /([^\P{Cc}\t\n])(\d{1,2}(?:,\d{1,2})?)?/gu;
const COLOR = "\u0003";
const SHOWN_EVENTS: ReadonlySet<string> = new Set(["", "user_action", "join_leave", "topic_change"]);

/**
 * Posts a message of another network, and retries as long as the server can't be reached. A message that it rejects is dropped,
 * and the log gets the reason.
 */
export async function postToFanfare(
  message: RemoteMessage,
  { gateway, webhook }: BridgedChannel,
  { signal, log, filesTimeoutMs = FILES_TIMEOUT_MS }: PostOptions,
): Promise<void> {
  let post = postOf(message);
  if (post === null) return;
  const nonce = `${NONCE_PREFIX}${randomUUID()}`;
  const url = `${webhook.url}/fanfare`;
  for (let failures = 0, serverErrors = 0, filesTimeouts = 0; ; failures += 1) {
    const hasFiles = post.files.length > 0;
    const timeoutMs = hasFiles ? filesTimeoutMs : REQUEST_TIMEOUT_MS;
    const answer = await request(url, { method: "POST", ...bodyOf(post, nonce) }, signal, timeoutMs);
    if (isOk(answer)) return;
    const reason = `HTTP ${answer.status}: ${answer.body}`;
    if (answer.status === 500) serverErrors += 1;
    if (answer.hasTimedOut && hasFiles) filesTimeouts += 1;
    const isTooSlow = hasFiles && filesTimeouts >= MAX_FILES_TIMEOUTS;
    if (isTemporary(answer) && serverErrors < MAX_SERVER_ERRORS && !isTooSlow) {
      if (failures === 0) log(`${gateway}: a message waits for Fanfare. ${reason}`);
      await delay(retryMs(failures, BACKOFF, answer.retryAfterMs), undefined, { signal });
      continue;
    }
    const acceptable = withoutRejected(post, answer, message);
    if (acceptable === null) {
      log(`${gateway}: Fanfare rejected a message. ${reason}`);
      return;
    }
    post = acceptable;
  }
}

function bodyOf({ files, ...message }: Post, nonce: string): Pick<RequestInit, "body" | "headers"> {
  const json = JSON.stringify({ ...message, nonce });
  if (files.length === 0) return { body: json, headers: { "content-type": "application/json" } };
  const form = new FormData();
  form.append("payload_json", json);
  files.forEach(({ name: fileName, bytes }, index) =>
    form.append(`files[${index}]`, new Blob([new Uint8Array(bytes)]), fileName),
  );
  return { body: form };
}

/** null if there is nothing to show. */
function postOf({ text, username, avatar, event, Extra }: RemoteMessage): Post | null {
  if (!SHOWN_EVENTS.has(event)) return null;
  const shown = safeText(text);
  const { sent, mentioned } = filesOf(Extra.file);
  const body = event === "user_action" && shown !== "" ? `*${plain(shown)}*` : shown;
  const content = fit(lines(body, ...mentioned));
  if (content === "" && sent.length === 0) return null;
  const name = short(safeText(username).trim(), LIMITS.nicknameMaxChars);
  return { content, name: name === "" ? undefined : name, avatarUrl: httpUrl(avatar), files: sent };
}

/** No one of another network can notify members. */
const safeText = (text: string): string =>
  withoutMentions(
    text
      .replace(CONTROL, (_all, control: string, digits = "") => (control === COLOR ? "" : digits))
      .toWellFormed(),
  );

/** Files that come with their bytes, and lines about the others. */
function filesOf(files: readonly RemoteFile[]): { sent: Post["files"]; mentioned: string[] } {
  const sent: Post["files"] = [];
  const mentioned: string[] = [];
  // Space for the rest of the form.
  let left = LIMITS.webhookFormMaxBytes - LIMITS.webhookBodyMaxBytes;
  for (const { Name: name, Data: data, URL: url, Comment: comment } of files) {
    const bytes = Buffer.from(data, "base64");
    const isSent = bytes.length > 0 && bytes.length <= left && sent.length < LIMITS.attachmentsPerMessage;
    if (isSent) {
      sent.push({ name, bytes });
      left -= bytes.length;
    }
    if (comment !== "") mentioned.push(safeText(comment));
    if (!isSent) mentioned.push(fileLine(name, url));
  }
  return { sent, mentioned };
}

const fileLine = (name: string, url = ""): string =>
  `📎 ${plain(safeText(name))} ${httpUrl(url) ?? ""}`.trim();

const rejection = z.object({
  error: z.object({
    data: z.object({ issues: z.array(z.object({ path: z.string() })).catch([]) }).catch({ issues: [] }),
  }),
});

/** The post without what the server rejects: a name or picture that Fanfare doesn't allow, or files. null: nothing helps. */
function withoutRejected(post: Post, { body }: Answer, { username }: RemoteMessage): Post | null {
  const paths = pathsOf(body);
  if (post.avatarUrl !== undefined && paths.includes("avatarUrl")) return { ...post, avatarUrl: undefined };
  if (post.name !== undefined && paths.includes("name")) {
    const shown = `${bold(safeText(username))}: ${post.content}`;
    return { ...post, name: undefined, content: fit(shown) };
  }
  if (post.files.length === 0) return null;
  const names = post.files.map(({ name }) => fileLine(name));
  return { ...post, files: [], content: fit(lines(post.content, ...names)) };
}

function pathsOf(body: string): string[] {
  try {
    return rejection.parse(JSON.parse(body)).error.data.issues.map(({ path }) => path);
  } catch {
    return [];
  }
}
