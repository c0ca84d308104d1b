import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

/** Different at every start: a process that comes back must not be taken for the one that died. */
export function createNodeId(): string {
  const host = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-");
  return `${host}-${process.pid}-${randomBytes(4).toString("hex")}`;
}
