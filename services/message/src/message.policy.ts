import { may, type Access } from "@fanfare/kernel";

/** Only its author can edit a message. */
export function mayEdit(userId: string, message: { authorId: string }): boolean {
  return message.authorId === userId;
}

export function mayDelete(userId: string, message: { authorId: string }, access: Access): boolean {
  return message.authorId === userId || may(access, "manageMessages");
}

export function mayReadEdits(userId: string, message: { authorId: string }, access: Access): boolean {
  return mayDelete(userId, message, access);
}

/** Direct messages have no moderators, so all participants can pin. */
export function mayPin(access: Access): boolean {
  return access.groupId === null || may(access, "manageMessages");
}
