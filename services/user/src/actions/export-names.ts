import { userLine } from "@fanfare/group-file";
import type { Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";

export function exportNames({ users }: UserDependencies): Handler<"user.exportNames"> {
  return async ({ params: { userIds } }) => {
    const found = await users.findMany([...new Set(userIds)]);
    const alive = found.filter(({ deletedAt }) => deletedAt === undefined);
    const byId = new Map(alive.map((user) => [user._id, user]));
    return { lines: userIds.map((id) => userLine(id, byId.get(id) ?? null)) };
  };
}
