import { serviceError, type Handler } from "@fanfare/kernel";
import { refuseProtected } from "../authority.ts";
import type { GroupDependencies } from "../group.dependencies.ts";

export function kickMember(dependencies: GroupDependencies): Handler<"group.kick"> {
  const { membership, audit } = dependencies;
  return async ({ params: { groupId, userId, reason }, actor }) => {
    await refuseProtected(dependencies, { groupId, userId }, actor.userId);
    const removal = await membership.remove(groupId, userId, "kicked");
    if (removal === "not a member") throw serviceError("MEMBER_NOT_FOUND");
    if (removal === "is the owner") throw serviceError("FORBIDDEN");
    await audit(groupId, actor.userId, "group.kick", { targetId: userId, reason });
    return {};
  };
}
