import { groupRoom } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { assertCanOwnMore } from "../group.policy.ts";
import { needMember } from "../subjects.ts";
import { presentGroup } from "../group.presenter.ts";

export function transferGroup(dependencies: GroupDependencies): Handler<"group.transfer"> {
  const { node, groups, members, membership, announcer, audit } = dependencies;
  return async ({ params: { groupId, userId }, actor, call }) => {
    if (!(await members.exists(groupId, userId))) throw serviceError("MEMBER_NOT_FOUND");
    const { user } = await call("user.get", { userId });
    // A bot is held by somebody, who would own the group in its name.
    if (user.kind !== "member") throw serviceError("GUEST_NOT_ALLOWED");
    await assertCanOwnMore(await node.policy.get(), groups, userId);

    const [from, to] = await Promise.all([
      needMember(dependencies, groupId, actor.userId),
      needMember(dependencies, groupId, userId),
    ]);
    const given = await groups.changeOwner(groupId, actor.userId, userId);
    if (given === null) throw serviceError("FORBIDDEN");
    // The new owner may have left since the first look; leaving in turn looks who the owner is afterwards (membership.ts).
    if (!(await members.exists(groupId, userId))) {
      await groups.changeOwner(groupId, userId, actor.userId);
      throw serviceError("MEMBER_NOT_FOUND");
    }
    membership.forget(groupId, actor.userId);
    membership.forget(groupId, userId);
    await membership.settleRoles(groupId, from.subject, { ...from.subject, isOwner: false });
    await membership.settleRoles(groupId, to.subject, { ...to.subject, isOwner: true });
    await audit(groupId, actor.userId, "group.transfer", { targetId: userId });
    const group = presentGroup(given);
    node.publish(groupRoom(groupId), "group.updated", { group });
    announcer.told(groupId, group.memberCount);
    return { group };
  };
}
