import type { Message } from "@fanfare/contract";
import { documentId } from "./database.ts";
import type { MessageDocument } from "./message.model.ts";

/** The only way of a stored message to the outside. */
export function presentMessage(message: MessageDocument): Message {
  const presented: Message = {
    id: documentId(message),
    channelId: message.channelId.toHexString(),
    seq: message.seq,
    rev: message.rev,
    authorId: message.authorId.toHexString(),
    content: message.content,
    replyTo: message.replyTo?.toHexString() ?? null,
    nonce: message.nonce,
    createdAt: message.createdAt.toISOString(),
    editedAt: message.editedAt?.toISOString() ?? null,
    deletedAt: message.deletedAt?.toISOString() ?? null,
  };
  // Few messages have any of these, and every message passes here.
  const { mentions, reactions, pinnedAt, pinnedBy, threadId, attachments, embeds, as } = message;
  if (mentions !== undefined) presented.mentions = mentions;
  if (reactions !== undefined) presented.reactions = reactions;
  if (pinnedAt !== undefined) presented.pinnedAt = pinnedAt.toISOString();
  if (pinnedBy !== undefined) presented.pinnedBy = pinnedBy.toHexString();
  if (threadId !== undefined) presented.threadId = threadId.toHexString();
  if (attachments !== undefined) presented.attachments = attachments;
  if (embeds !== undefined) presented.embeds = embeds;
  if (as !== undefined) presented.as = as;
  return presented;
}

/** What an answer can still take, such as an `AnswerBudget`. */
export interface Budget {
  /** @returns false where the item does not fit */
  take(item: unknown): boolean;
}

/** Presents scanned messages into `page` as long as they fit into the answer. */
export function takeInto(page: Message[], budget: Budget): (message: MessageDocument) => boolean {
  return (message) => {
    const presented = presentMessage(message);
    if (!budget.take(presented)) return false;
    page.push(presented);
    return true;
  };
}
