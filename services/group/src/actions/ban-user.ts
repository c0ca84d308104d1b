import { serviceError, type Handler } from "@fanfare/kernel";
import { refuseProtected } from "../authority.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentBan } from "../group.presenter.ts";

export function banUser(dependencies: GroupDependencies): Handler<"group.ban"> {
  const { bans, membership, audit } = dependencies;
  return async ({ params: { groupId, userId, reason }, actor, call }) => {
    await refuseProtected(dependencies, { groupId, userId }, actor.userId);
    await call("user.get", { userId });
    // First the ban, then the removal: see `admit` in membership.ts.
    await bans.insert(groupId, userId, actor.userId, reason);
    const removal = await membership.remove(groupId, userId, "banned");
    if (removal === "is the owner") {
      await bans.remove(groupId, userId);
      throw serviceError("FORBIDDEN");
    }
    await audit(groupId, actor.userId, "group.ban", { targetId: userId, reason });
    return {};
  };
}

export function unbanUser({ bans, audit }: GroupDependencies): Handler<"group.unban"> {
  return async ({ params: { groupId, userId, reason }, actor }) => {
    if (await bans.remove(groupId, userId)) {
      await audit(groupId, actor.userId, "group.unban", { targetId: userId, reason });
    }
    return {};
  };
}

export function listBans({ bans }: GroupDependencies): Handler<"group.listBans"> {
  return async ({ params: { groupId, afterUserId, limit } }) => {
    const found = await bans.listPage(groupId, afterUserId, limit + 1);
    const page = found.slice(0, limit).map(presentBan);
    return { bans: page, nextUserId: found.length > limit ? (page.at(-1)?.userId ?? null) : null };
  };
}
