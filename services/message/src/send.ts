import {
  assertNotMuted,
  type Access,
  type Actor,
  type Handlers,
  invalid,
  type Logger,
  can,
  serviceError,
  type SharedCounters,
  entryLimit,
} from "@fanfare/kernel";
import {
  type Attachment,
  type Card,
  type Control,
  type EndedCall,
  LIMITS,
  markdownOf,
  type Message,
  type Poll,
  type Services,
  type Sticker,
  userRoom,
} from "@fanfare/contract";
import { LRUCache } from "lru-cache";
import { Types } from "mongoose";
import type { MessageDependencies } from "./message.dependencies.ts";
import { NONCE_CACHE_SIZE } from "./constants.ts";
import type { GroupCommit } from "./commit/group-commit.ts";
import { NO_ONE, resolveMentions } from "./mentions.ts";
import { presentMessage } from "./message.presenter.ts";
import type { MessageRepository } from "./message.repository.ts";
import type { MessageFilters } from "./message-filters.ts";

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
  poll?: Poll | undefined;
  cards?: Card[] | undefined;
  controls?: Control[] | undefined;
  /** Of the group; requires `services`. */
  stickerId?: string | undefined;
  sticker?: Sticker;
  call?: EndedCall;
  /** Files of the author; requires `services` or `files`. */
  attachmentIds?: readonly string[];
  /** For files that the server attaches. */
  files?: Pick<Services["file"], "claim">;
  as?: Message["as"];
  /** For a reply that its thread's channel shows too: the message there. */
  copy?: Send;
  /** For that message: the thread. It mentions no one, because the reply does. */
  replyIn?: string;
  /** The nonce may have been used before. */
  resend?: boolean | undefined;
}

interface SenderOptions {
  commit: GroupCommit;
  messages: Pick<MessageRepository, "find">;
  slowMode: SlowMode;
  filters: Pick<MessageFilters, "apply" | "report">;
  group: Pick<Services["group"], "findMentioned">;
}

const callNonce = (callId: string): string => `call-${callId}`;
const CALL_NONCE = /^call-[0-9a-f]{24}$/;

const NO_FILES: readonly string[] = [];

/**
 * Sends each nonce once. The unique index would be sufficient, but a duplicate that it rejects costs the channel another write,
 * so duplicates are detected earlier when that is cheap.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #inFlight = new Map<string, Promise<Message>>();
  /** Ids of recently stored messages by nonce. */
  readonly #stored = new LRUCache<string, string>(entryLimit(NONCE_CACHE_SIZE));

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  send(send: Send): Promise<Message> {
    const key = `${send.channelId}:${send.authorId}:${send.nonce}`;
    const underWay = this.#inFlight.get(key);
    if (underWay !== undefined) return underWay;
    const sent = this.#find(send, key).finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, sent);
    return sent;
  }

  async #find(sent: Send, key: string): Promise<Message> {
    const storedId = this.#stored.get(key);
    if (storedId !== undefined) {
      const stored = await this.#options.messages.find(sent.channelId, storedId);
      if (stored !== null) return presentMessage(stored);
    }
    if (sent.resend === true) {
      const stored = await this.#options.commit.find(sent.channelId, { ...sent, ...destinationOf(sent) });
      if (stored !== null) return stored;
    }
    const send =
      sent.stickerId === undefined ? sent : { ...sent, ...(await findSticker(sent, sent.stickerId)) };
    const repliedTo = send.replyTo === undefined ? null : await this.#authorOf(send.channelId, send.replyTo);
    const mentioned = send.mentionAuthor ? repliedTo : null;
    const message =
      send.access.wordFilterRev === undefined
        ? await this.#createInSlowMode(send, mentioned)
        : await this.#createFiltered(send, mentioned);
    this.#stored.set(key, message.id);
    return message;
  }

  async #createFiltered(send: Send, repliedTo: string | null): Promise<Message> {
    // A reply that is also in the channel is counted and reported there.
    const isFirst = send.copy === undefined;
    const { written, reportedBy, giveBack } = await this.#options.filters.apply(send.access, send, isFirst);
    try {
      const message = await this.#createInSlowMode(written, repliedTo);
      if (reportedBy !== null && isFirst)
        void this.#options.filters.report(send.access.groupId!, message, reportedBy);
      return message;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  async #createInSlowMode(send: Send, repliedTo: string | null): Promise<Message> {
    const { channelId, authorId, access } = send;
    if (access.slowModeMs === undefined) return this.#create(send, repliedTo);
    const giveBack = await this.#options.slowMode.take(channelId, authorId, access.slowModeMs);
    try {
      return await this.#create(send, repliedTo);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  async #create(send: Send, repliedTo: string | null): Promise<Message> {
    const { channelId, authorId, content, nonce, replyTo } = send;
    const item = { authorId, content, nonce, replyTo: replyTo ?? null, ...destinationOf(send) };
    const { poll, sticker, call, as, copy, replyIn } = send;
    const [cards, controls] = [nonEmpty(send.cards), nonEmpty(send.controls)];
    if (
      !content.includes("@") &&
      repliedTo === null &&
      (send.attachmentIds ?? NO_FILES).length === 0 &&
      (poll ?? sticker ?? call ?? as ?? copy ?? replyIn ?? cards ?? controls) === undefined
    ) {
      return this.#options.commit.create(channelId, item);
    }
    const text = sticker === undefined ? markdownOf({ content, cards }) : "";
    const context = { authorId, channelId, access: send.access, group: this.#options.group };
    const { mentions, mentionKeys } =
      replyIn === undefined ? await resolveMentions(text, context, repliedTo) : NO_ONE;
    const attachments = await claimAttachments(send);
    const extras = {
      ...(mentions !== undefined && { mentions }),
      ...(attachments !== undefined && { attachments }),
      ...(cards !== undefined && { cards }),
      ...(controls !== undefined && { controls }),
      ...(poll !== undefined && { poll: { ...poll, endsAt: endOf(poll) } }),
      ...(sticker !== undefined && { sticker }),
      ...(call !== undefined && { call }),
      ...(as !== undefined && { as }),
      ...(copy !== undefined && { alsoIn: new Types.ObjectId(copy.channelId) }),
      ...(replyIn !== undefined && { replyIn: new Types.ObjectId(replyIn) }),
    };
    // After all that can refuse the reply, and before the reply: once that is there, the client doesn't send again.
    if (copy !== undefined) await this.send(copy);
    return this.#options.commit.create(channelId, { ...item, mentionKeys, extras });
  }

  async #authorOf(channelId: string, messageId: string): Promise<string> {
    const message = await this.#options.messages.find(channelId, messageId);
    if (message === null || message.deletedAt !== null) throw serviceError("MESSAGE_NOT_FOUND");
    return message.authorId.toHexString();
  }
}

const destinationOf = ({
  access: { rooms, groupId, isThread },
  replyIn,
}: Pick<Send, "access" | "replyIn">) => ({
  rooms,
  groupId,
  // What a reply shows in the channel has the access of the thread.
  threadOf: isThread === true && replyIn === undefined ? (groupId ?? undefined) : undefined,
});

/** The message about a call is only news for those who weren't in it. Others have read it if they had read all before it. */
async function readByParticipants(
  { node, markers }: Pick<MessageDependencies, "node" | "markers">,
  { channelId, authorId, seq, call }: Message,
): Promise<void> {
  for (const userId of new Set([authorId, ...(call?.participantUserIds ?? [])])) {
    if (!(await markers.advanceFrom(userId, channelId, seq - 1))) continue;
    node.publish(userRoom(userId), "readMarker.updated", { channelId, lastReadSeq: seq });
  }
}

/** Empty lists aren't stored. */
export const nonEmpty = <T>(items: T[] | undefined): T[] | undefined =>
  items === undefined || items.length === 0 ? undefined : items;

type SlowMode = ReturnType<typeof createSlowMode>;

/** Enforces the wait between two messages of a user in slow mode, across processes. */
export function createSlowMode(counters: SharedCounters, logger: Pick<Logger, "warn">) {
  const add = async (key: string, points: number, slowModeMs: number): Promise<number[] | null> => {
    try {
      return await counters.add([key, points, slowModeMs]);
    } catch (error) {
      logger.warn({ err: error }, "slow mode counters unavailable");
      return null;
    }
  };
  return {
    /**
     * Counts one message. If the counters are unavailable, all messages are accepted: that is better than a silent channel.
     * @returns a function that reverts it, for a message that couldn't be stored
     * @throws {ServiceError} SLOW_MODE
     */
    async take(channelId: string, userId: string, slowModeMs: number): Promise<() => void> {
      const key = `slow:${channelId}:${userId}`;
      const giveBack = (): void => void add(key, -1, slowModeMs);
      const counted = await add(key, 1, slowModeMs);
      if (counted === null) return () => undefined;
      const [total, leftMs] = counted;
      if (total! <= 1) return giveBack;
      giveBack();
      throw serviceError("SLOW_MODE", { retryAfterMs: Math.max(1, Math.ceil(leftMs!)) });
    },
  };
}

export function sendActions(dependencies: MessageDependencies): Handlers {
  const { sender, node } = dependencies;
  return {
    "message.send": async ({ params, actor: { userId: authorId, kind }, access, services }) => {
      requireBotFor(params, kind);
      checkNonce(params.nonce);
      checkCardImages(params.cards, params.attachmentIds);
      const hasFile = params.attachmentIds.length > 0 || params.stickerId !== undefined;
      if (hasFile && !can(access, "attachFiles")) throw serviceError("FORBIDDEN");
      const send = { ...params, authorId, access, services };
      if (params.alsoInChannel !== true) return { message: await sender.send(send) };
      const { channelId } = params;
      // A thread has the access of its channel.
      const { parentId } = (await services.channel.get({ channelId })).channel;
      if (parentId === null) throw invalid("alsoInChannel", "the channel is not a thread");
      const inChannel = { channelId: parentId, replyIn: channelId };
      const copy = { ...send, ...inChannel, replyTo: undefined, attachmentIds: [], poll: undefined };
      return { message: await sender.send({ ...send, copy }) };
    },

    "message.post": async ({ params, services: { file: files } }) => {
      checkNonce(params.nonce);
      checkCardImages(params.cards, params.attachmentIds);
      const access = await accessOfSender(node, params.authorId, params.channelId);
      if (params.attachmentIds.length > 0 && !can(access, "attachFiles")) throw serviceError("FORBIDDEN");
      return { message: await sender.send({ ...params, access, services: null, files }) };
    },

    "message.recordCall": async ({ params: { channelId, callId, startedByUserId: authorId, call } }) => {
      const access = await accessOfAny(node, [authorId, ...call.participantUserIds], channelId);
      const written = { channelId, authorId, content: "", nonce: callNonce(callId), call };
      const message = await sender.send({
        ...written,
        mentionAuthor: false,
        access,
        services: null,
        resend: true,
      });
      await readByParticipants(dependencies, message);
      return { message };
    },
  };
}

/**
 * The access of the first of these users who sees the channel, for its group and rooms: the one who started a call can have left
 * before it ends. Slow mode and word filters are for what users write.
 * @throws {ServiceError} CHANNEL_NOT_FOUND if none of them sees it
 */
async function accessOfAny(
  { access: cache }: Pick<MessageDependencies["node"], "access">,
  userIds: readonly string[],
  channelId: string,
): Promise<Access> {
  for (const userId of new Set(userIds)) {
    const access = await cache.get(userId, { channelId });
    if (!can(access, "view")) continue;
    const { permissions, groupId, mutedUntilMs, rooms } = access;
    return { permissions, groupId, mutedUntilMs, rooms };
  }
  throw serviceError("CHANNEL_NOT_FOUND");
}

/** @throws {ServiceError} CHANNEL_NOT_FOUND, FORBIDDEN or MUTED if a user can't send messages there */
export async function accessOfSender(
  { access: cache }: Pick<MessageDependencies["node"], "access">,
  authorId: string,
  channelId: string,
): Promise<Access> {
  const access = await cache.get(authorId, { channelId });
  if (!can(access, "view")) throw serviceError("CHANNEL_NOT_FOUND");
  if (!can(access, "sendMessages")) throw serviceError("FORBIDDEN");
  assertNotMuted(access);
  return access;
}

/** @throws {ServiceError} BOTS_ONLY when a user sends cards or controls */
export function requireBotFor(
  { cards, controls }: Pick<Send, "cards" | "controls">,
  kind: Actor["kind"],
): void {
  if ((cards ?? controls) !== undefined && kind !== "bot") throw serviceError("BOTS_ONLY");
}

/** @throws {ServiceError} VALIDATION_FAILED when a message would take the place of the one about a call */
function checkNonce(nonce: string): void {
  if (CALL_NONCE.test(nonce)) throw invalid("nonce", "is reserved for messages about calls");
}

/** @throws {ServiceError} VALIDATION_FAILED when a card shows a file that isn't attached to its message */
export function checkCardImages(cards: readonly Card[] = [], fileIds: readonly string[]): void {
  const index = cards.findIndex(
    ({ imageFileId }) => imageFileId !== undefined && !fileIds.includes(imageFileId),
  );
  if (index >= 0) throw invalid(`cards.${index}.imageFileId`, "is not attached to the message");
}

/** @throws {ServiceError} EMOJI_NOT_FOUND when the group has no such sticker or GIF */
async function findSticker({ access: { groupId }, services }: Send, emojiId: string) {
  if (groupId === null || services === null) throw serviceError("EMOJI_NOT_FOUND");
  const { emoji } = await services.emoji.find({ groupId, emojiId });
  if (emoji === null || emoji.kind === "emoji") throw serviceError("EMOJI_NOT_FOUND");
  const { id, kind, name } = emoji;
  return { content: name, sticker: { id, kind } };
}

function endOf({ endsAt }: Poll): Date | null {
  if (endsAt === null) return null;
  const end = new Date(endsAt);
  const leftMs = end.getTime() - Date.now();
  if (leftMs > 0 && leftMs <= LIMITS.pollMaxMs) return end;
  throw invalid("poll", `must end at most ${LIMITS.pollMaxMs / 86_400_000} days from now`);
}

/**
 * Claims files as attachments of a message. Idempotent, and the last step before the message is written: files claimed for a
 * message that is never written are deleted after a while.
 * @throws {ServiceError} VALIDATION_FAILED for files that the sender did not upload to this channel, or that are already attached
 */
async function claimAttachments({
  attachmentIds: fileIds = [],
  services,
  files = services?.file,
  channelId,
  authorId: userId,
  nonce,
}: Send): Promise<Attachment[] | undefined> {
  if (fileIds.length === 0 || files === undefined) return undefined;
  const { attachments } = await files.claim({ fileIds: [...fileIds], channelId, userId, nonce });
  if (attachments !== null) return attachments;
  throw invalid("attachmentIds", "there is no such file of yours for this channel");
}
