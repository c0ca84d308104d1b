import { groupRoom, type Member } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentMember } from "../group.presenter.ts";
import { refuseProtected } from "./moderate.ts";

export function muteMember(dependencies: GroupDependencies): Handler<"group.mute"> {
  return async ({ params, actor }) => {
    await refuseProtected(dependencies.groups, params, actor.userId);
    return { member: await setMute(dependencies, params, new Date(Date.now() + params.durationMs)) };
  };
}

export function unmuteMember(dependencies: GroupDependencies): Handler<"group.unmute"> {
  return async ({ params }) => {
    await dependencies.mutes.remove(params.groupId, params.userId);
    return { member: await setMute(dependencies, params, null) };
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
