import { LIMITS, textOf, type Message, type MessageExcerpt } from "@fanfare/contract";
import { documentId, type ExcerptDocument, type MessageDocument } from "./message.model.ts";

/** Every whole message returned to clients passes through this function. */
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
  const { mentions, reactions, pinnedAt, pinnedBy, threadId, alsoIn, replyIn, attachments } = message;
  const { embeds, cards, controls, poll, sticker, call, as } = message;
  if (mentions !== undefined) presented.mentions = mentions;
  if (reactions !== undefined) presented.reactions = reactions;
  if (pinnedAt !== undefined) presented.pinnedAt = pinnedAt.toISOString();
  if (pinnedBy !== undefined) presented.pinnedBy = pinnedBy.toHexString();
  if (threadId !== undefined) presented.threadId = threadId.toHexString();
  if (alsoIn !== undefined) presented.alsoIn = alsoIn.toHexString();
  if (replyIn !== undefined) presented.replyIn = replyIn.toHexString();
  if (attachments !== undefined) presented.attachments = attachments;
  if (embeds !== undefined) presented.embeds = embeds;
  // Earlier versions of the server left these in messages that they deleted.
  if (cards !== undefined && message.deletedAt === null) presented.cards = cards;
  if (controls !== undefined && message.deletedAt === null) presented.controls = controls;
  if (poll !== undefined) presented.poll = { ...poll, endsAt: poll.endsAt?.toISOString() ?? null };
  if (sticker !== undefined) presented.sticker = sticker;
  if (call !== undefined) presented.call = call;
  if (as !== undefined) presented.as = as;
  return presented;
}

export function presentExcerpt(message: ExcerptDocument): MessageExcerpt {
  const { seq, nonce, createdAt, sticker, call, as } = message;
  return {
    id: documentId(message),
    channelId: message.channelId.toHexString(),
    seq,
    authorId: message.authorId.toHexString(),
    content: beginningOf(textOf(message)),
    nonce,
    createdAt: createdAt.toISOString(),
    ...(sticker !== undefined && { sticker }),
    ...(call !== undefined && { call }),
    ...(as !== undefined && { as }),
  };
}

/** Half of a character, or of a mention or link in angle brackets. */
const HALF_AT_END = /(?:[\uD800-\uDBFF]|<[^<>\s]*)$/;

function beginningOf(content: string): string {
  if (content.length <= LIMITS.excerptMaxChars) return content;
  return `${content.slice(0, LIMITS.excerptMaxChars - 1).replace(HALF_AT_END, "")}…`;
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
