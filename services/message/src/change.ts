import { setTimeout as sleep } from "node:timers/promises";
import { type Card, type Control, LIMITS, markdownOf, type Message, type Services } from "@fanfare/contract";
import {
  type Access,
  ResponseBudget,
  assertBelow,
  type Handlers,
  invalid,
  orThrow,
  serviceError,
  unavailable,
} from "@fanfare/kernel";
import { Types } from "mongoose";
import { documentId, type MessageChange, type MessageDocument } from "./message.model.ts";
import { mentionedBy, NO_ONE, resolveMentions } from "./mentions.ts";
import { canDelete, canEdit, hasEnded } from "./message.policy.ts";
import { presentMessage } from "./message.presenter.ts";
import type { MessageDependencies } from "./message.dependencies.ts";
import { CHANGE_MAX_TRIES, LOST_RACE_BACKOFF_MS } from "./constants.ts";
import { checkCardImages, nonEmpty, requireBotFor } from "./send.ts";
import type { ChangeEvent } from "./commit/write-context.ts";

export const NOTHING_LEFT: MessageChange = {
  mentions: undefined,
  mentionKeys: undefined,
  mentionedId: undefined,
  mentionedIn: undefined,
  mentionedSeq: undefined,
  reactions: undefined,
  pinnedAt: undefined,
  pinnedBy: undefined,
  pinnedIn: undefined,
  attachments: undefined,
  embeds: undefined,
  cards: undefined,
  controls: undefined,
  poll: undefined,
  sticker: undefined,
  call: undefined,
};

interface Place {
  channelId: string;
  messageId: string;
}

interface MessageActor {
  userId: string;
  access: Access;
  services: Services;
}

interface MessageChangeOptions extends Place {
  rooms: readonly string[];
  announce: ChangeEvent;
}

type Decide = (message: MessageDocument) => Promise<MessageChange | null> | MessageChange | null;
type Changing = Pick<MessageDependencies, "messages" | "commit" | "changing">;

export function changeActions(dependencies: MessageDependencies): Handlers {
  const { messages, edits } = dependencies;
  return {
    "message.edit": async ({ params, actor: { userId, kind }, access }) => {
      requireBotFor(params, kind);
      return { message: await edit(dependencies, { ...params, userId, access }) };
    },

    "message.listEdits": async ({ params: { channelId, messageId, before, limit }, actor, access }) => {
      const message = await messages.find(channelId, messageId);
      if (message === null || message.deletedAt !== null) throw serviceError("MESSAGE_NOT_FOUND");
      if (!canDelete(actor.userId, presentMessage(message), access)) throw serviceError("FORBIDDEN");
      // A version stored for an edit that failed is not a former text.
      const below = Math.min(before ?? Number.MAX_SAFE_INTEGER, message.editCount ?? 0);
      const found = await edits.list(messageId, below, limit);
      const presented = found.map(({ version, content, writtenAt }) => ({
        version,
        content,
        writtenAt: writtenAt.toISOString(),
      }));
      const page = new ResponseBudget().takeWhileFits(presented);
      return { edits: page, hasMore: (page.at(-1)?.version ?? 0) > 0 };
    },

    "message.delete": async ({ params, actor, access, services }) => {
      const remove = (place: Place) =>
        deleteMessage(dependencies, { ...place, userId: actor.userId, access, services });
      // Also when the message is deleted already: the first call may have ended before its twin was.
      const twin = await findTwin(messages, await remove(params));
      if (twin !== null) await remove(twin);
      return {};
    },

    "message.remove": async ({ params: { channelId, messageId, rooms }, services }) => {
      const message = await messages.find(channelId, messageId);
      if (message !== null) await removeMessage(dependencies, message, rooms, services);
      return {};
    },

    "message.endPoll": async ({ params: { channelId, messageId }, actor, access }) => {
      const changed = await changeMessage(
        dependencies,
        { channelId, messageId, rooms: access.rooms, announce: "message.changed" },
        (before) => {
          if (before.poll === undefined) throw serviceError("MESSAGE_NOT_FOUND");
          if (!canDelete(actor.userId, presentMessage(before), access)) throw serviceError("FORBIDDEN");
          return hasEnded(before.poll) ? null : { poll: { ...before.poll, endsAt: new Date() } };
        },
      );
      if (changed === null) throw serviceError("MESSAGE_NOT_FOUND");
      return { message: changed };
    },

    "message.setEmbeds": async ({ params: { channelId, messageId, embeds, editedAt } }) => {
      const message = await dependencies.messages.find(channelId, messageId);
      if (message === null) return { isSet: false };
      const rooms = await dependencies.roomsFor(message.authorId.toHexString(), channelId);
      let isSet = false;
      const options = { channelId, messageId, rooms, announce: "message.changed" } as const;
      await changeMessage(dependencies, options, (before) => {
        isSet =
          (before.editedAt?.toISOString() ?? null) === editedAt &&
          before.revs.length < LIMITS.changesPerMessage;
        if (!isSet || JSON.stringify(before.embeds ?? []) === JSON.stringify(embeds)) return null;
        return { embeds: embeds.length === 0 ? undefined : embeds };
      });
      return { isSet };
    },

    "message.setThread": async ({ params: { channelId, messageId, threadId, rooms } }) => {
      const message = await changeMessage(
        dependencies,
        { channelId, messageId, rooms, announce: "message.changed" },
        (before) =>
          (before.threadId?.toHexString() ?? null) === threadId
            ? null
            : { threadId: threadId === null ? undefined : new Types.ObjectId(threadId) },
      );
      return { isSet: message !== null };
    },
  };
}

/** The same reply in the other channel; see `message.send`. */
async function findTwin(
  messages: MessageDependencies["messages"],
  { authorId, nonce, alsoIn, replyIn }: Message,
): Promise<Place | null> {
  const channelId = alsoIn ?? replyIn;
  if (channelId === undefined) return null;
  const twin = await messages.findByNonce(channelId, authorId, nonce, true);
  return twin === null ? null : { channelId, messageId: documentId(twin) };
}

/** Absent fields stay. */
interface Edit extends Place, Omit<MessageActor, "services"> {
  content?: string | undefined;
  cards?: Card[] | undefined;
  controls?: Control[] | undefined;
}

/**
 * Edits a message, and the same reply in the other channel.
 * @throws {ServiceError} MESSAGE_NOT_FOUND, FORBIDDEN, MESSAGE_FILTERED, MESSAGE_REFUSED
 */
export async function edit(dependencies: MessageDependencies, wanted: Edit): Promise<Message> {
  const { messages, filters } = dependencies;
  const { userId: authorId, access, content = "", cards, controls } = wanted;
  const changed = { content, cards, controls, authorId };
  const { written, reportedBy } = await filters.apply(access, changed, false);
  const allowed = {
    ...wanted,
    ...written,
    content: wanted.content === undefined ? undefined : written.content,
  };
  const { channelId, messageId } = wanted;
  const before = orThrow(await messages.find(channelId, messageId), "MESSAGE_NOT_FOUND");
  const twin = await findTwin(messages, presentMessage(before));
  // The reply comes first, because only it has the attachments that its checks are about.
  const isReplyFirst = before.replyIn !== undefined && twin !== null;
  if (isReplyFirst) await editMessage(dependencies, { ...allowed, ...twin });
  const message = orThrow(await editMessage(dependencies, allowed, isReplyFirst), "MESSAGE_NOT_FOUND");
  if (twin !== null && !isReplyFirst) await editMessage(dependencies, { ...allowed, ...twin }, true);
  if (reportedBy !== null) void filters.report(access.groupId!, message, reportedBy);
  return message;
}

/**
 * The mentions are recomputed; the author of the message replied to stays mentioned if they were before.
 * @param isChecked whether the same reply in the other channel was changed already
 * @returns null when it doesn't exist or is deleted
 */
async function editMessage(
  dependencies: MessageDependencies,
  { channelId, messageId, userId, access, ...wanted }: Edit,
  isChecked = false,
): Promise<Message | null> {
  const { rooms } = access;
  const message = await changeMessage(
    dependencies,
    { channelId, messageId, rooms, announce: "message.changed" },
    async (before) => {
      if (!canEdit(userId, presentMessage(before))) throw serviceError("FORBIDDEN");
      const { content = before.content, cards = before.cards, controls = before.controls } = wanted;
      const fileIds = before.attachments?.map(({ fileId }) => fileId) ?? [];
      if (!isChecked && content === "" && fileIds.length === 0 && nonEmpty(cards) === undefined)
        throw invalid("content", "must not be empty without attachments or cards");
      if (!isChecked) checkCardImages(wanted.cards, fileIds);
      const { editCount = 0 } = before;
      const now = { cards: nonEmpty(cards), controls: nonEmpty(controls) };
      assertBelow("changesPerMessage", before.revs.length);
      const isTextKept = content === before.content && (wanted.cards ?? wanted.controls) !== undefined;
      if (!isTextKept) assertBelow("editsPerMessage", editCount);
      const repliedTo = await findRepliedTo(dependencies, before);
      const { group } = dependencies.node.services;
      const context = { authorId: userId, channelId, access, group, before: before.mentions };
      const { mentions, mentionKeys = [] } =
        before.replyIn === undefined
          ? await resolveMentions(markdownOf({ content, cards }), context, repliedTo)
          : NO_ONE;
      const mentioned = { mentions, ...mentionedBy(before, mentionKeys) };
      // Not an edit, because earlier versions of cards and controls aren't stored.
      if (isTextKept) return { ...now, ...mentioned };
      // Stored before the edit, so that no text is lost. If the edit fails, the next one stores the same text as the same
      // version.
      const { createdAt, editedAt } = before;
      await dependencies.edits.keep({
        channelId,
        messageId,
        version: editCount,
        content: before.content,
        writtenAt: editedAt ?? createdAt,
      });
      // The previews were for the links of the old text; the event below brings those of the new one.
      const fresh = { ...now, content, editedAt: new Date(), editCount: editCount + 1, embeds: undefined };
      return { ...fresh, ...mentioned };
    },
  );
  if (message !== null && wanted.content !== undefined)
    dependencies.node.broadcast("message.edited", { message });
  return message;
}

/** @returns the message as it was before */
async function deleteMessage(
  dependencies: MessageDependencies,
  { channelId, messageId, userId, access, services }: Place & MessageActor,
): Promise<Message> {
  const message = orThrow(await dependencies.messages.find(channelId, messageId), "MESSAGE_NOT_FOUND");
  const presented = presentMessage(message);
  if (!canDelete(userId, presented, access)) throw serviceError("FORBIDDEN");
  const { authorId } = presented;
  // First, so that a moderator's deletion is always in the audit log.
  if (message.deletedAt === null && authorId !== userId && access.groupId !== null)
    await services.group.recordAudit({
      groupId: access.groupId,
      actorId: userId,
      action: "message.delete",
      targetId: messageId,
      before: { channelId, authorId },
    });
  await removeMessage(dependencies, message, access.rooms, services);
  return presented;
}

/** Does nothing if it is deleted already. */
async function removeMessage(
  dependencies: MessageDependencies,
  message: MessageDocument,
  rooms: readonly string[],
  services: Services,
): Promise<void> {
  if (message.deletedAt !== null) return;
  const { holds, commit, edits, reactions, reactionCounter } = dependencies;
  const [channelId, messageId] = [message.channelId.toHexString(), documentId(message)];
  const options = { messageId, rooms, announce: "message.deleted" } as const;
  const set = { content: "", deletedAt: new Date(), ...NOTHING_LEFT };
  // The kept copy must match what is deleted, even if the message is edited at the same time.
  if (await holds.keep([message]))
    await changeMessage(dependencies, { ...options, channelId }, async (before) => {
      await holds.keep([before]);
      return set;
    });
  else await commit.change(channelId, { ...options, set });
  await edits.deleteOf(messageId);
  const fileIds = message.attachments?.map(({ fileId }) => fileId) ?? [];
  // The message is deleted in any case; files that miss this are removed by the cleanup sweep.
  if (fileIds.length > 0) await services.file.release({ channelId, fileIds }).catch(() => undefined);
  if (message.reactions !== undefined || (await reactions.emojis(messageId, 1)).length > 0) {
    await reactionCounter.change(channelId, messageId, rooms, async () => undefined);
  }
}

async function findRepliedTo(
  { messages }: MessageDependencies,
  message: MessageDocument,
): Promise<string | null> {
  if (message.replyTo === null || message.mentions === undefined) return null;
  const answered = await messages.find(message.channelId.toHexString(), message.replyTo.toHexString());
  const authorId = answered?.authorId.toHexString();
  return authorId !== undefined && message.mentions.userIds.includes(authorId) ? authorId : null;
}

/**
 * Changes a message based on its current state. When another worker changes it concurrently, `decide` is called again.
 * @param decide returns the fields to set; null: no change
 * @returns the message afterwards; null when it doesn't exist or is deleted
 * @throws {ServiceError} UNAVAILABLE after too many concurrent changes; errors from `decide`
 */
export async function changeMessage(
  dependencies: Changing,
  options: MessageChangeOptions,
  decide: Decide,
): Promise<Message | null> {
  const { messageId } = options;
  const { changing } = dependencies;
  // Changes of a message in this process run one after another, so that they don't cause each other to retry.
  const before = changing.get(messageId) ?? Promise.resolve();
  const change = before.then(() => tryToChange(dependencies, options, decide));
  const settled = change.catch(() => undefined);
  changing.set(messageId, settled);
  try {
    return await change;
  } finally {
    if (changing.get(messageId) === settled) changing.delete(messageId);
  }
}

async function tryToChange(
  { messages, commit }: Changing,
  { channelId, messageId, rooms, announce }: MessageChangeOptions,
  decide: Decide,
): Promise<Message | null> {
  for (let tries = 0; tries < CHANGE_MAX_TRIES; tries++) {
    const before = await messages.find(channelId, messageId);
    if (before === null || before.deletedAt !== null) return null;
    const set = await decide(before);
    if (set === null) return presentMessage(before);
    const result = await commit.change(channelId, { messageId, set, ifRev: before.rev, announce, rooms });
    if (result.outcome === "changed") return result.message;
    if (result.outcome === "gone") return null;
    await sleep(Math.random() * LOST_RACE_BACKOFF_MS * (tries + 1));
  }
  throw unavailable();
}
