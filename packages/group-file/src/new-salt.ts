import { randomBytes } from "node:crypto";

export const PROCESS_BYTES = 5;

/** A random salt for the ids of one import, as hex. In its own file, because gateways don't load the database driver. */
export function newSalt(): string {
  return randomBytes(PROCESS_BYTES).toString("hex");
}
