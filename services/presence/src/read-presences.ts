import type { Presence } from "@fanfare/contract";
import type { PresenceDependencies } from "./presence.dependencies.ts";
import { present } from "./present.ts";

/** How users look at this moment. One look-up in the store and one in the database, however many they are. */
export async function readPresences(
  { store, statuses }: Pick<PresenceDependencies, "store" | "statuses">,
  userIds: readonly string[],
): Promise<Presence[]> {
  const [connected, own] = await Promise.all([store.connectedAmong(userIds), statuses.findMany(userIds)]);
  return userIds.map((userId) => present(userId, connected.has(userId), own.get(userId) ?? "online"));
}
