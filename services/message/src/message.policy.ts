import { can, type Access } from "@fanfare/kernel";

/** Only its author can edit a message. */
export function canEdit(userId: string, message: { authorId: string }): boolean {
  return message.authorId === userId;
}

export function canDelete(userId: string, message: { authorId: string }, access: Access): boolean {
  return message.authorId === userId || can(access, "manageMessages");
}

export function canReadEdits(userId: string, message: { authorId: string }, access: Access): boolean {
  return canDelete(userId, message, access);
}

/** Direct messages have no moderators, so all participants can pin. */
export function canPin(access: Access): boolean {
  return access.groupId === null || can(access, "manageMessages");
}
