import { groupRoom } from "@fanfare/contract";
import { may, type Access } from "@fanfare/kernel";
import type { FileDocument } from "./file.repository.ts";

type Facts = Pick<FileDocument, "ownerId" | "state">;

/** Whether a file is there for anybody at all. */
export function isThere({ state }: Pick<FileDocument, "state">): boolean {
  return state === "unclaimed" || state === "attached" || state === "picture";
}

/** @param access to the file's channel; null where it is in none */
export function mayRead(userId: string, file: Facts, access: Access | null): boolean {
  if (file.ownerId === userId) return true;
  return file.state === "attached" && access !== null && may(access, "view");
}

/** Asked of who may read it. */
export function mayDelete(userId: string, file: Facts, access: Access | null): boolean {
  if (file.ownerId === userId) return true;
  return file.state === "attached" && access !== null && may(access, "manageMessages");
}

/** Whether everybody in the channel's group sees it. */
export function isOpen({ groupId, rooms }: Pick<Access, "groupId" | "rooms">): boolean {
  return groupId !== null && rooms.includes(groupRoom(groupId));
}
