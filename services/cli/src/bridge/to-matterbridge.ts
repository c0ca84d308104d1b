import { setTimeout as delay } from "node:timers/promises";
import { type ChannelView, retryMs } from "@fanfare/client";
import { type Attachment, type Call, type Message, textOf, LIMITS, type User } from "@fanfare/contract";
import { lines } from "@fanfare/markup";
import { LRUCache } from "lru-cache";
import { BACKOFF, EDITABLE_MESSAGES, GAP_WAIT_MS, MAX_MISSED, MAX_NAMES, NAME_TTL_MS } from "./constants.ts";
import { isOk, isTemporary, type Matterbridge } from "./matterbridge.ts";
import { NONCE_PREFIX } from "./to-fanfare.ts";

interface SendingOptions {
  /** A loaded copy of the channel. */
  view: ChannelView;
  gateway: string;
  matterbridge: Matterbridge;
  names: Names;
  call: Call;
  /** Of the server, for links. */
  url: string;
  /** The bridge's own bot. */
  botId: string;
  log: (line: string) => void;
}

/**
 * Sends the messages of a channel to Matterbridge, from the next one on, until `signal` is aborted or the channel is gone. What
 * was written during an interruption is sent afterwards, up to a limit.
 */
export async function sendToMatterbridge(options: SendingOptions, signal: AbortSignal): Promise<void> {
  const { view, gateway, log } = options;
  const changes = new Changes(view, signal);
  /** The texts that were sent, by seq. */
  const sent = new Map<number, string>();
  let sentSeq = view.head.seq;
  let gapAtMs: number | null = null;
  while (!signal.aborted) {
    if (view.snapshot.status === "gone") {
      log(`${gateway}: the bot can't see the channel any more.`);
      return;
    }
    for (const [seq, former] of sent) {
      const message = view.messages.find((one) => one.seq === seq);
      if (message === undefined || message.deletedAt !== null || message.content === former) continue;
      sent.set(seq, message.content);
      await send(options, message, " (edited)", signal);
    }
    const fresh = view.messages.filter(({ seq }) => seq > sentSeq);
    const [first] = fresh;
    if (first === undefined) {
      await changes.next();
      continue;
    }
    // Events can arrive in another order; then the missing message follows.
    if (first.seq !== sentSeq + 1) {
      gapAtMs ??= Date.now();
      const leftMs = gapAtMs + GAP_WAIT_MS - Date.now();
      if (leftMs > 0) {
        await changes.next(leftMs);
        continue;
      }
    }
    gapAtMs = null;
    const missed = fresh.length - MAX_MISSED;
    if (missed > 0) {
      log(`${gateway}: ${missed} messages were left out after an interruption.`);
      sentSeq = fresh[missed - 1]!.seq;
      continue;
    }
    if (await send(options, first, "", signal)) sent.set(first.seq, first.content);
    sentSeq = first.seq;
    for (const seq of sent.keys()) if (seq <= sentSeq - EDITABLE_MESSAGES) sent.delete(seq);
  }
}

/** Wakes up when a channel changes. */
class Changes {
  readonly #signal: AbortSignal;
  #isChanged = false;
  #wake = (): void => undefined;

  constructor(view: ChannelView, signal: AbortSignal) {
    this.#signal = signal;
    const stop = view.subscribe(() => {
      this.#isChanged = true;
      this.#wake();
    });
    signal.addEventListener("abort", () => {
      stop();
      this.#wake();
    });
  }

  /** Resolves once something has changed since the last call, or after this time. */
  async next(timeoutMs?: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (!this.#isChanged && !this.#signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (timeoutMs !== undefined) timer = setTimeout(resolve, timeoutMs);
      });
    clearTimeout(timer);
    this.#isChanged = false;
  }
}

const isOwn = ({ nonce, authorId }: Message, { botId }: SendingOptions): boolean =>
  nonce.startsWith(NONCE_PREFIX) || authorId === botId;

/** @returns whether it was sent */
async function send(
  options: SendingOptions,
  message: Message,
  suffix: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { gateway, matterbridge, names, url, log } = options;
  if (message.deletedAt !== null || isOwn(message, options)) return false;
  for (let failures = 0; ; failures += 1) {
    let reason: string;
    let retryAfterMs = 0;
    try {
      const text = await textFor(options, message);
      if (text === "") return false;
      const author = message.as === undefined ? await names.user(message.authorId) : undefined;
      const avatarUrl = (message.as ?? author)?.avatarUrl ?? null;
      const own = {
        text: text + suffix,
        username: message.as?.name ?? author?.nickname ?? "unknown",
        userid: message.authorId,
        avatar: avatarUrl === null ? "" : new URL(avatarUrl, url).href,
        gateway,
      };
      const answer = await matterbridge.send(own, signal);
      if (isOk(answer)) return true;
      reason = answer.status === 0 ? answer.body : `HTTP ${answer.status}`;
      if (!isTemporary(answer)) {
        log(`${gateway}: Matterbridge rejected a message. ${reason}`);
        return false;
      }
      ({ retryAfterMs } = answer);
    } catch (error) {
      signal.throwIfAborted();
      // A name or link couldn't be loaded.
      reason = (error as Error).message;
    }
    if (failures === 0) log(`${gateway}: a message waits for Matterbridge. ${reason}`);
    await delay(retryMs(failures, BACKOFF, retryAfterMs), undefined, { signal });
  }
}

async function textFor({ names, call, url }: SendingOptions, message: Message): Promise<string> {
  const { channelId, poll, attachments = [] } = message;
  const options = poll?.options.map((option, index) => `${index + 1}. ${option}`) ?? [];
  const text = await names.withNames(lines(textOf(message), ...options));
  if (attachments.length === 0) return text;
  const fileIds = attachments.map(({ fileId }) => fileId);
  const { urls } = await call("file.getUrls", { channelId, fileIds });
  const lineOf = ({ fileId, name }: Attachment): string => {
    const found = urls.find((one) => one.fileId === fileId);
    return found === undefined ? name : `${name} ${new URL(found.url, url).href}`;
  };
  return lines(text, ...attachments.map(lineOf));
}

const MENTION = /<@(&?)([0-9a-f]{24})>/g;

/** The names of users and roles, for networks that don't know their ids. */
export class Names {
  readonly #call: Call;
  readonly #groupId: string;
  readonly #users = new LRUCache<string, User>({ max: MAX_NAMES, ttl: NAME_TTL_MS });
  readonly #roles = new LRUCache<string, string>({ max: MAX_NAMES, ttl: NAME_TTL_MS });

  constructor(call: Call, groupId: string) {
    this.#call = call;
    this.#groupId = groupId;
  }

  /** undefined if there is no such user. */
  async user(userId: string): Promise<User | undefined> {
    if (!this.#users.has(userId)) await this.#loadUsers([userId]);
    return this.#users.get(userId);
  }

  /** The text with the names of those whom it mentions. */
  async withNames(text: string): Promise<string> {
    const mentions = [...text.matchAll(MENTION)];
    const ids = (isRole: boolean) => [
      ...new Set(mentions.filter(([, role]) => (role === "&") === isRole).map(([, , id]) => id!)),
    ];
    const users = ids(false).filter((id) => !this.#users.has(id));
    if (users.length > 0) await this.#loadUsers(users);
    if (ids(true).some((id) => !this.#roles.has(id))) await this.#loadRoles();
    return text.replace(MENTION, (_mention, role: string, id: string) => {
      const name = role === "&" ? (this.#roles.get(id) ?? "role") : (this.#users.get(id)?.nickname ?? "user");
      return `@${name}`;
    });
  }

  async #loadUsers(userIds: string[]): Promise<void> {
    const { users } = await this.#call("user.getMany", { userIds: userIds.slice(0, LIMITS.usersPerLookup) });
    for (const user of users) this.#users.set(user.id, user);
  }

  async #loadRoles(): Promise<void> {
    const { roles } = await this.#call("role.list", { groupId: this.#groupId });
    for (const { id, name } of roles) this.#roles.set(id, name);
  }
}
