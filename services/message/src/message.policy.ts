import { may, type Access } from "@fanfare/kernel";

/** A message is its author's: nobody else puts words in it. */
export function mayEdit(userId: string, message: { authorId: string }): boolean {
  return message.authorId === userId;
}

export function mayDelete(userId: string, message: { authorId: string }, access: Access): boolean {
  return message.authorId === userId || may(access, "manageMessages");
}

export function mayReadEdits(userId: string, message: { authorId: string }, access: Access): boolean {
  return mayDelete(userId, message, access);
}

/** Where people talk directly nobody manages messages, so everybody pins. */
export function mayPin(access: Access): boolean {
  return access.groupId === null || may(access, "manageMessages");
}
