import { userRoom, type InboxMarker } from "@fanfare/contract";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import { highestIdNow, isAfter } from "./message-ids.ts";

/** Moves markers forward, up to what there can be by now, and tells the user's sessions where something has changed. */
export async function advanceMarker(
  { node, markers }: InboxDependencies,
  userId: string,
  names: readonly (keyof InboxMarker)[],
  messageId: string,
): Promise<InboxMarker> {
  const highest = highestIdNow(Date.now());
  const upTo = isAfter(messageId, highest) ? highest : messageId;
  const before = await markers.advance(userId, names, upTo);
  const moved = names.filter((name) => isAfter(upTo, before[name]));
  const marker = { ...before, ...Object.fromEntries(moved.map((name) => [name, upTo])) };
  if (moved.length > 0) node.publish(userRoom(userId), "inbox.updated", { marker });
  return marker;
}
