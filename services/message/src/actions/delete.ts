import { serviceError, type Handler } from "@fanfare/kernel";
import type { MessageChange } from "../message.model.ts";
import { mayDelete } from "../message.policy.ts";
import { presentMessage } from "../message.presenter.ts";
import type { MessageDependencies } from "../message.dependencies.ts";

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
};

export function remove({
  messages,
  commit,
  edits,
  reactions,
  reactionCounter,
}: MessageDependencies): Handler<"message.delete"> {
  return async ({ params, actor, access, call }) => {
    const { channelId, messageId } = params;
    const message = await messages.find(channelId, messageId);
    if (message === null) throw serviceError("MESSAGE_NOT_FOUND");
    if (!mayDelete(actor.userId, presentMessage(message), access)) throw serviceError("FORBIDDEN");
    if (message.deletedAt !== null) return {};
    const authorId = message.authorId.toHexString();
    // Before it is done: who takes somebody else's words away is never without a record.
    if (authorId !== actor.userId && access.groupId !== null)
      await call("group.recordAudit", {
        groupId: access.groupId,
        actorId: actor.userId,
        action: "message.delete",
        targetId: messageId,
        before: { channelId, authorId },
      });
    await commit.change(channelId, {
      messageId,
      set: { content: "", deletedAt: new Date(), ...NOTHING_LEFT },
      announce: "message.deleted",
      rooms: access.rooms,
    });
    await edits.deleteOf(messageId);
    const fileIds = message.attachments?.map(({ fileId }) => fileId) ?? [];
    // The message is gone all the same: files that are not told of it notice by themselves.
    if (fileIds.length > 0) await call("file.release", { channelId, fileIds }).catch(() => undefined);
    if (message.reactions !== undefined || (await reactions.emojis(messageId, 1)).length > 0) {
      await reactionCounter.change(channelId, messageId, access.rooms, async () => undefined);
    }
    return {};
  };
}
