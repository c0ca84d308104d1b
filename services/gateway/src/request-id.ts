import { randomBytes } from "node:crypto";

const process = randomBytes(6).toString("base64url");
let count = 0;

/** Unique across processes and restarts, and cheap because every call gets one. */
export function nextRequestId(): string {
  count += 1;
  return `${process}.${count.toString(36)}`;
}

/** Whether a client's request id is safe to use in logs and responses. */
export function isSaneRequestId(id: unknown): id is string {
  return typeof id === "string" && /^[\w.:-]{1,64}$/.test(id);
}
