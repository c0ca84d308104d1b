import type { GroupFileLineOf, Result } from "@fanfare/contract";
import { createNewIds, messageDocument, messageLine, type ReactionPosition } from "@fanfare/group-file";
import { duplicateKeyIndex, type Handlers, invalid, newId } from "@fanfare/kernel";
import { Types } from "mongoose";
import type { MessageDocument } from "../message.model.ts";
import type { MessageDependencies } from "../message.dependencies.ts";
import { WRITE_TIMEOUT_MS } from "../constants.ts";

/** A page ends after this many characters; one more message or batch of reactions can exceed it. */
const PAGE_CHARS = 200_000;
const MESSAGES_PER_QUERY = 50;
const REACTIONS_PER_QUERY = 500;

type Exporting = Pick<MessageDependencies, "messages" | "reactions">;
type Page = Result<"message.exportChannel">;

export function channelLineActions(dependencies: MessageDependencies): Handlers {
  const { messages, reactions, heads } = dependencies;
  return {
    "message.exportChannel": async ({ params: { channelId, after } }): Promise<Page> => {
      const lines: Page["lines"] = [];
      let chars = 0;
      const add = (line: Page["lines"][number]): void => {
        lines.push(line);
        chars += JSON.stringify(line).length;
      };
      // A message with only some of its reactions in this page is read again; its own line is not repeated.
      let behind = after;
      for (;;) {
        const resumed = behind?.emoji !== undefined;
        const from = behind === null ? 0 : behind.seq + (resumed ? 0 : 1);
        const found = await dependencies.messages.from(channelId, from, MESSAGES_PER_QUERY);
        for (const message of found) {
          const isResumed = resumed && message.seq === behind?.seq;
          if (!isResumed) add(messageLine(message));
          const next = await addReactions(dependencies, message, isResumed ? behind : null, (line) => {
            add(line);
            return chars < PAGE_CHARS;
          });
          if (next !== null) return { lines, next };
          if (chars >= PAGE_CHARS) return { lines, next: { seq: message.seq } };
        }
        const last = found.at(-1);
        if (last === undefined || found.length < MESSAGES_PER_QUERY) return { lines, next: null };
        behind = { seq: last.seq };
      }
    },

    /** No events are published, because the group is hidden until its import is finished. */
    "message.importLines": async ({ params, services }) => {
      const { groupId } = params;
      await services.group.keepImport({ groupId });
      const idOf = createNewIds(params.salt);
      const ids = { groupId: new Types.ObjectId(groupId), newId: idOf, userId: idOf };
      const documents = params.messages.map(({ line, seq, reactions: shown }) => ({
        ...(messageDocument(line, seq, ids) as MessageDocument),
        ...(shown.length > 0 && {
          reactions: shown.map(({ userIds, ...rest }) => ({
            ...rest,
            userIds: userIds.map((id) => String(idOf(id))),
          })),
        }),
      }));
      const ofThem = params.reactions.map(({ channelId, line: { messageId, emoji, userId } }) => ({
        _id: newId(),
        channelId: String(idOf(channelId)),
        messageId: String(idOf(messageId)),
        emoji,
        userId: String(idOf(userId)),
      }));
      try {
        if (ofThem.length > 0) await reactions.insertMany(ofThem);
        if (documents.length > 0) await messages.insertMany(documents, false, WRITE_TIMEOUT_MS);
      } catch (error) {
        if (duplicateKeyIndex(error) === null) throw error;
        throw invalid("file", "a message or a reaction is in it twice");
      }
      return {};
    },

    "message.importHeads": async ({ params }) => {
      const idOf = createNewIds(params.salt);
      const entries = params.heads.map(
        ({ channelId, seq, isThread }) =>
          [
            String(idOf(channelId)),
            { seq, rev: seq, ...(isThread === true && { threadOf: params.groupId }) },
          ] as const,
      );
      if (entries.length > 0) await heads.raise(new Map(entries), WRITE_TIMEOUT_MS);
      return {};
    },
  };
}

/**
 * Adds reactions in the order shown on the message, by user id within an emoji.
 * @param add returns false when the page is full
 * @returns where to continue, or null
 */
async function addReactions(
  { reactions }: Exporting,
  message: MessageDocument,
  after: ReactionPosition | null,
  add: (line: GroupFileLineOf<"reaction">) => boolean,
): Promise<ReactionPosition | null> {
  const emojis = (message.reactions ?? []).map(({ emoji }) => emoji);
  const messageId = message._id.toHexString();
  const at = after?.emoji === undefined ? 0 : emojis.indexOf(after.emoji);
  // If the last reaction of the previous page is gone, its position is unknown: skip some rather than return duplicates.
  for (const emoji of at === -1 ? [] : emojis.slice(at)) {
    let afterUserId = emoji === after?.emoji ? after.userId : undefined;
    for (;;) {
      const users = await reactions.users(messageId, emoji, afterUserId, REACTIONS_PER_QUERY);
      for (const userId of users) {
        if (!add({ type: "reaction", messageId, emoji, userId })) return { seq: message.seq, emoji, userId };
      }
      if (users.length < REACTIONS_PER_QUERY) break;
      afterUserId = users.at(-1);
    }
  }
  return null;
}
