import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { refuseProtected } from "./moderate.ts";

export function banUser({ groups, bans, membership }: GroupDependencies): Handler<"group.ban"> {
  return async ({ params, actor, call }) => {
    const { groupId, userId } = params;
    await refuseProtected(groups, params, actor.userId);
    await call("user.get", { userId });
    // First the ban, then the removal: see `admit` in membership.ts.
    await bans.insert(groupId, userId, actor.userId);
    const removal = await membership.remove(groupId, userId, "banned");
    if (removal === "is the owner") {
      await bans.remove(groupId, userId);
      throw serviceError("FORBIDDEN");
    }
    return {};
  };
}

export function unbanUser({ bans }: GroupDependencies): Handler<"group.unban"> {
  return async ({ params: { groupId, userId } }) => {
    await bans.remove(groupId, userId);
    return {};
  };
}
