import { createNewIds, messageDocument } from "@fanfare/group-file";
import { duplicateKeyIndex, newId, serviceError, type Handler } from "@fanfare/kernel";
import { Types } from "mongoose";
import { WRITE_TIMEOUT_MS } from "../bounds.ts";
import type { MessageDocument } from "../message.model.ts";
import type { MessageDependencies } from "../message.dependencies.ts";

/** Only into a group that is being made; nobody is told, for nobody sees it. */
export function importLines({
  messages,
  reactions,
}: Pick<MessageDependencies, "messages" | "reactions">): Handler<"message.importLines"> {
  return async ({ params, call }) => {
    const { groupId } = params;
    await call("group.keepImport", { groupId });
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
      const issues = [{ path: "file", message: "a message or a reaction is in it twice" }];
      throw serviceError("VALIDATION_FAILED", { issues });
    }
    return {};
  };
}

export function importHeads({ heads }: Pick<MessageDependencies, "heads">): Handler<"message.importHeads"> {
  return async ({ params }) => {
    const idOf = createNewIds(params.salt);
    const entries = params.heads.map(
      ({ channelId, seq }) => [String(idOf(channelId)), { seq, rev: seq }] as const,
    );
    if (entries.length > 0) await heads.raise(new Map(entries), WRITE_TIMEOUT_MS);
    return {};
  };
}
