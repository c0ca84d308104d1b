import type { Message } from "@fanfare/contract";
import { can, type Access } from "@fanfare/kernel";

/** Only its author can edit a message. The text of a sticker is its name, and the server writes those about calls. */
export function canEdit(userId: string, message: Pick<Message, "authorId" | "sticker" | "call">): boolean {
  return message.authorId === userId && message.sticker === undefined && message.call === undefined;
}

export function canDelete(userId: string, message: { authorId: string }, access: Access): boolean {
  return message.authorId === userId || can(access, "manageMessages");
}

export function canReadEdits(userId: string, message: { authorId: string }, access: Access): boolean {
  return canDelete(userId, message, access);
}

export function hasEnded({ endsAt }: { endsAt: Date | null }): boolean {
  return endsAt !== null && endsAt.getTime() <= Date.now();
}

/** Direct messages have no moderators, so all participants can pin. */
export function canPin(access: Access): boolean {
  return access.groupId === null || can(access, "manageMessages");
}
