import type { Message } from "@fanfare/contract";
import { can, type Access } from "@fanfare/kernel";

/** Only its author can edit a message. The text of a sticker is its name, and the server writes those about calls. */
export function canEdit(userId: string, message: Pick<Message, "authorId" | "sticker" | "call">): boolean {
  return message.authorId === userId && message.sticker === undefined && message.call === undefined;
}

/** The same users can read its earlier texts, and end its poll. */
export function canDelete(userId: string, message: { authorId: string }, access: Access): boolean {
  return message.authorId === userId || can(access, "manageMessages");
}

export function hasEnded({ endsAt }: { endsAt: Date | null }): boolean {
  return endsAt !== null && endsAt.getTime() <= Date.now();
}

/** Direct messages have no moderators, so all participants who can write there can pin. */
export function canPin(access: Access): boolean {
  return can(access, access.groupId === null ? "sendMessages" : "manageMessages");
}
