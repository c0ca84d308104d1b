import type { Message } from "@fanfare/contract";
import { documentId } from "./database.ts";
import type { MessageDocument } from "./message.model.ts";

/** Every stored message returned to clients passes through this function. */
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
  // Few messages have any of these, so the common case is fast.
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

/** Limits the size of a response; see `ResponseBudget`. */
export interface Budget {
  /** @returns false when the item doesn't fit */
  take(item: unknown): boolean;
}

/** Presents scanned messages into `page` while they fit. */
export function takeInto(page: Message[], budget: Budget): (message: MessageDocument) => boolean {
  return (message) => {
    const presented = presentMessage(message);
    if (!budget.take(presented)) return false;
    page.push(presented);
    return true;
  };
}
