import type { Handler } from "@fanfare/kernel";
import type { PresenceDependencies } from "../presence.dependencies.ts";

export function listAway({ store, statuses }: PresenceDependencies): Handler<"presence.listAway"> {
  return async ({ params: { userIds } }) => {
    const [connected, own] = await Promise.all([store.connectedAmong(userIds), statuses.findMany(userIds)]);
    return {
      userIds: userIds.filter((id) => !connected.has(id) && own.get(id) !== "doNotDisturb"),
    };
  };
}
