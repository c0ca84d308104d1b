import type { InboxMarker } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import { advanceMarker } from "../advance-marker.ts";
import type { InboxDependencies } from "../inbox.dependencies.ts";

const READ: readonly (keyof InboxMarker)[] = ["readUpToId"];
const CLEARED: readonly (keyof InboxMarker)[] = ["readUpToId", "clearedUpToId"];

export function markInboxRead(dependencies: InboxDependencies): Handler<"inbox.markRead"> {
  return async ({ params: { messageId }, actor: { userId } }) => ({
    marker: await advanceMarker(dependencies, userId, READ, messageId),
  });
}

export function clearInbox(dependencies: InboxDependencies): Handler<"inbox.clear"> {
  return async ({ params: { messageId }, actor: { userId } }) => ({
    marker: await advanceMarker(dependencies, userId, CLEARED, messageId),
  });
}
