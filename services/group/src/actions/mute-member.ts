import { groupRoom, type Member } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { refuseProtected } from "../authority.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentMember } from "../group.presenter.ts";

export function muteMember(dependencies: GroupDependencies): Handler<"group.mute"> {
  return async ({ params, actor }) => {
    const { groupId, userId, reason } = params;
    await refuseProtected(dependencies, params, actor.userId);
    const member = await setMute(dependencies, params, new Date(Date.now() + params.durationMs));
    const after = { mutedUntil: member.mutedUntil };
    await dependencies.audit(groupId, actor.userId, "group.mute", { targetId: userId, reason, after });
    return { member };
  };
}

export function unmuteMember(dependencies: GroupDependencies): Handler<"group.unmute"> {
  return async ({ params, actor }) => {
    const { groupId, userId } = params;
    await refuseProtected(dependencies, params, actor.userId);
    await dependencies.mutes.remove(groupId, userId);
    const member = await setMute(dependencies, params, null);
    await dependencies.audit(groupId, actor.userId, "group.unmute", { targetId: userId });
    return { member };
  };
}

async function setMute(
  { node, members, membership }: GroupDependencies,
  { groupId, userId }: { groupId: string; userId: string },
  mutedUntil: Date | null,
): Promise<Member> {
  const changed = await members.setMutedUntil(groupId, userId, mutedUntil);
  if (changed === null) throw serviceError("MEMBER_NOT_FOUND");
  membership.forget(groupId, userId);
  const member = presentMember(changed);
  node.publish(groupRoom(groupId), "member.updated", { member });
  return member;
}
