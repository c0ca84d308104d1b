import {
  type Access,
  type Handlers,
  invalid,
  type Logger,
  can,
  serviceError,
  type SharedCounters,
  entryLimit,
} from "@fanfare/kernel";
import type { Attachment, Services, Message } from "@fanfare/contract";
import { LRUCache } from "lru-cache";
import type { MessageDependencies } from "./message.dependencies.ts";
import { NONCE_CACHE_SIZE } from "./constants.ts";
import type { GroupCommit } from "./commit/group-commit.ts";
import { resolveMentions } from "./mentions.ts";
import { presentMessage } from "./message.presenter.ts";
import type { MessageRepository } from "./message.repository.ts";
import type { WordFilters } from "./word-filters.ts";

interface Send {
  channelId: string;
  authorId: string;
  content: string;
  nonce: string;
  replyTo?: string | undefined;
  /** Whether a reply mentions the author of the message it replies to. */
  mentionAuthor: boolean;
  access: Access;
  /** On behalf of the author; null: by the server. */
  services: Services | null;
  /** Files of the author; requires `services`. */
  attachmentIds?: readonly string[];
  as?: Message["as"];
  /** The nonce may have been used before. */
  resend?: boolean | undefined;
}

interface SenderOptions {
  commit: GroupCommit;
  messages: Pick<MessageRepository, "find">;
  slowMode: SlowMode;
  wordFilters: Pick<WordFilters, "apply">;
}

const NO_FILES: readonly string[] = [];

/**
 * Sends each nonce once. The unique index would be sufficient, but a duplicate that it rejects costs the channel another write,
 * so duplicates are detected earlier when that is cheap.
 */
export class Sender {
  readonly #commit: GroupCommit;
  readonly #messages: Pick<MessageRepository, "find">;
  readonly #slowMode: SlowMode;
  readonly #wordFilters: Pick<WordFilters, "apply">;
  readonly #inFlight = new Map<string, Promise<Message>>();
  /** Ids of recently stored messages by nonce. */
  readonly #stored = new LRUCache<string, string>(entryLimit(NONCE_CACHE_SIZE));

  constructor({ commit, messages, slowMode, wordFilters }: SenderOptions) {
    this.#commit = commit;
    this.#slowMode = slowMode;
    this.#messages = messages;
    this.#wordFilters = wordFilters;
  }

  send(send: Send): Promise<Message> {
    const key = `${send.channelId}:${send.authorId}:${send.nonce}`;
    const underWay = this.#inFlight.get(key);
    if (underWay !== undefined) return underWay;
    const sent = this.#find(send, key).finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, sent);
    return sent;
  }

  async #find(send: Send, key: string): Promise<Message> {
    const storedId = this.#stored.get(key);
    if (storedId !== undefined) {
      const stored = await this.#messages.find(send.channelId, storedId);
      if (stored !== null) return presentMessage(stored);
    }
    if (send.resend === true) {
      const stored = await this.#commit.find(send.channelId, { ...send, rooms: send.access.rooms });
      if (stored !== null) return stored;
    }
    const repliedTo = send.replyTo === undefined ? null : await this.#authorOf(send.channelId, send.replyTo);
    const allowed = send.access.wordFilterRev === undefined ? send : await this.#filtered(send);
    const message = await this.#createInSlowMode(allowed, send.mentionAuthor ? repliedTo : null);
    this.#stored.set(key, message.id);
    return message;
  }

  async #filtered(send: Send): Promise<Send> {
    return { ...send, content: await this.#wordFilters.apply(send.access, send.content) };
  }

  async #createInSlowMode(send: Send, repliedTo: string | null): Promise<Message> {
    const { channelId, authorId, access } = send;
    if (access.slowModeMs === undefined) return this.#create(send, repliedTo);
    const giveBack = await this.#slowMode.take(channelId, authorId, access.slowModeMs);
    try {
      return await this.#create(send, repliedTo);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  async #create(send: Send, repliedTo: string | null): Promise<Message> {
    const { channelId, authorId, content, nonce, replyTo, access } = send;
    const { rooms, groupId } = access;
    const item = { authorId, content, nonce, replyTo: replyTo ?? null, rooms, groupId };
    if (
      !content.includes("@") &&
      repliedTo === null &&
      (send.attachmentIds ?? NO_FILES).length === 0 &&
      send.as === undefined
    ) {
      return this.#commit.create(channelId, item);
    }
    const { mentions, mentionKeys } = await resolveMentions(content, send, repliedTo);
    const attachments = await claimAttachments(send);
    const { as } = send;
    const extras = {
      ...(mentions !== undefined && { mentions }),
      ...(attachments !== undefined && { attachments }),
      ...(as !== undefined && { as }),
    };
    return this.#commit.create(channelId, { ...item, mentionKeys, extras });
  }

  async #authorOf(channelId: string, messageId: string): Promise<string> {
    const message = await this.#messages.find(channelId, messageId);
    if (message === null || message.deletedAt !== null) throw serviceError("MESSAGE_NOT_FOUND");
    return message.authorId.toHexString();
  }
}

/** Enforces the wait between two messages of a user in slow mode, across processes. */
export class SlowMode {
  readonly #counters: SharedCounters;
  readonly #logger: Pick<Logger, "warn">;

  constructor(counters: SharedCounters, logger: Pick<Logger, "warn">) {
    this.#counters = counters;
    this.#logger = logger;
  }

  /**
   * Counts one message. If the counters are unavailable, all messages are accepted: that is better than a silent channel.
   * @returns a function that reverts it, for a message that couldn't be stored
   * @throws {ServiceError} SLOW_MODE
   */
  async take(channelId: string, userId: string, slowModeMs: number): Promise<() => void> {
    const key = `slow:${channelId}:${userId}`;
    const giveBack = (): void => void this.#add(key, -1, slowModeMs);
    const counted = await this.#add(key, 1, slowModeMs);
    if (counted === null) return () => undefined;
    const [total, leftMs] = counted;
    if (total! <= 1) return giveBack;
    giveBack();
    throw serviceError("SLOW_MODE", { retryAfterMs: Math.max(1, Math.ceil(leftMs!)) });
  }

  async #add(key: string, points: number, slowModeMs: number): Promise<number[] | null> {
    try {
      return await this.#counters.add([key, points, slowModeMs]);
    } catch (error) {
      this.#logger.warn({ err: error }, "slow mode counters unavailable");
      return null;
    }
  }
}

export function sendActions({ sender, node }: MessageDependencies): Handlers {
  return {
    "message.send": async ({ params, actor: { userId: authorId }, access, services }) => {
      if (params.attachmentIds.length > 0 && !can(access, "attachFiles")) throw serviceError("FORBIDDEN");
      return { message: await sender.send({ ...params, authorId, access, services }) };
    },

    "message.post": async ({ params }) => {
      const access = await node.access.get(params.authorId, { channelId: params.channelId });
      if (!can(access, "view")) throw serviceError("CHANNEL_NOT_FOUND");
      if (!can(access, "sendMessages")) throw serviceError("FORBIDDEN");
      if (access.mutedUntilMs > Date.now()) {
        throw serviceError("MUTED", { mutedUntil: new Date(access.mutedUntilMs).toISOString() });
      }
      return { message: await sender.send({ ...params, access, services: null }) };
    },
  };
}

/**
 * Claims files as attachments of a message. Idempotent, and the last step before the message is written: files claimed for a
 * message that is never written are deleted after a while.
 * @throws {ServiceError} VALIDATION_FAILED for files that the sender did not upload to this channel, or that are already attached
 */
async function claimAttachments({
  attachmentIds: fileIds = [],
  services,
  channelId,
  authorId: userId,
  nonce,
}: Send): Promise<Attachment[] | undefined> {
  if (fileIds.length === 0 || services === null) return undefined;
  const { attachments } = await services.file.claim({ fileIds: [...fileIds], channelId, userId, nonce });
  if (attachments !== null) return attachments;
  throw invalid("attachmentIds", "there is no such file of yours for this channel");
}
