import { LIMITS } from "@fanfare/contract";
import { AnswerBudget, serviceError, type Handler } from "@fanfare/kernel";
import { changeMessage } from "../change-message.ts";
import { mentionedBy } from "../mentioned-by.ts";
import { resolveMentions } from "../mentions.ts";
import type { MessageDocument } from "../message.model.ts";
import { mayEdit, mayReadEdits } from "../message.policy.ts";
import { presentMessage } from "../message.presenter.ts";
import type { MessageDependencies } from "../message.dependencies.ts";

/** Its new text mentions whom it names, and whom it answers if it did so before. */
export function edit(dependencies: MessageDependencies): Handler<"message.edit"> {
  return async ({ params: { channelId, messageId, content: written }, actor, access, call }) => {
    const { rooms } = access;
    const content = await dependencies.wordFilters.apply(access, written);
    const changed = await changeMessage(
      dependencies,
      { channelId, messageId, rooms, announce: "message.changed" },
      async (before) => {
        if (!mayEdit(actor.userId, presentMessage(before))) throw serviceError("FORBIDDEN");
        const { editCount = 0 } = before;
        checkLimits(before, editCount);
        const repliedTo = await stillRepliedTo(dependencies, before);
        const context = { authorId: actor.userId, channelId, access, call };
        const { mentions, mentionKeys = [] } = await resolveMentions(content, context, repliedTo);
        // Before the edit, so that no text is lost; should the edit fail, the next one keeps the same text as the same version.
        const { createdAt, editedAt } = before;
        await dependencies.edits.keep({
          channelId,
          messageId,
          version: editCount,
          content: before.content,
          writtenAt: editedAt ?? createdAt,
        });
        // The previews were of what it linked to before.
        const fresh = { content, editedAt: new Date(), editCount: editCount + 1, embeds: undefined };
        return { ...fresh, mentions, ...mentionedBy(before, mentionKeys) };
      },
    );
    if (changed === null) throw serviceError("MESSAGE_NOT_FOUND");
    return { message: changed };
  };
}

function checkLimits({ revs }: MessageDocument, editCount: number): void {
  if (editCount >= LIMITS.editsPerMessage) {
    throw serviceError("LIMIT_REACHED", { limit: "editsPerMessage", max: LIMITS.editsPerMessage });
  }
  if (revs.length >= LIMITS.changesPerMessage) {
    throw serviceError("LIMIT_REACHED", { limit: "changesPerMessage", max: LIMITS.changesPerMessage });
  }
}

async function stillRepliedTo(
  { messages }: MessageDependencies,
  message: MessageDocument,
): Promise<string | null> {
  if (message.replyTo === null || message.mentions === undefined) return null;
  const answered = await messages.find(message.channelId.toHexString(), message.replyTo.toHexString());
  const authorId = answered?.authorId.toHexString();
  return authorId !== undefined && message.mentions.userIds.includes(authorId) ? authorId : null;
}

export function listEdits({ messages, edits }: MessageDependencies): Handler<"message.listEdits"> {
  return async ({ params: { channelId, messageId, before, limit }, actor, access }) => {
    const message = await messages.find(channelId, messageId);
    if (message === null || message.deletedAt !== null) throw serviceError("MESSAGE_NOT_FOUND");
    if (!mayReadEdits(actor.userId, presentMessage(message), access)) throw serviceError("FORBIDDEN");
    // What was kept for an edit that failed is no former text.
    const below = Math.min(before ?? Number.MAX_SAFE_INTEGER, message.editCount ?? 0);
    const found = await edits.list(messageId, below, limit);
    const presented = found.map(({ version, content, writtenAt }) => ({
      version,
      content,
      writtenAt: writtenAt.toISOString(),
    }));
    const page = new AnswerBudget().cut(presented);
    return { edits: page, hasMore: (page.at(-1)?.version ?? 0) > 0 };
  };
}
