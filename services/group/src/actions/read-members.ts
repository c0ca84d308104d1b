import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentMember, roleIdsOf } from "../group.presenter.ts";

export function listMembers({ members }: GroupDependencies): Handler<"group.listMembers"> {
  return async ({ params: { groupId, afterUserId, limit } }) => {
    const found = await members.listPage(groupId, afterUserId, limit + 1);
    const page = found.slice(0, limit);
    const nextUserId = found.length > limit ? (page.at(-1)?.userId ?? null) : null;
    return { members: page.map((member) => presentMember(member)), nextUserId };
  };
}

export function getMember({ members }: GroupDependencies): Handler<"group.getMember"> {
  return async ({ params: { groupId, userId } }) => {
    const member = await members.find(groupId, userId);
    if (member === null) throw serviceError("MEMBER_NOT_FOUND");
    return { member: presentMember(member) };
  };
}

export function getMembers({ members }: GroupDependencies): Handler<"group.getMembers"> {
  return async ({ params: { groupId, userIds } }) => {
    const found = await members.findMany(groupId, userIds);
    return { members: found.map((member) => presentMember(member)) };
  };
}

export function listMemberIds({ members }: GroupDependencies): Handler<"group.listMemberIds"> {
  return async ({ params: { groupId, roleIds, afterUserId, limit } }) => {
    const page = await members.listPage(groupId, afterUserId ?? undefined, limit);
    const meant =
      roleIds === null
        ? page
        : page.filter((member) => roleIdsOf(member).some((roleId) => roleIds.includes(roleId)));
    return {
      userIds: meant.map(({ userId }) => userId),
      nextUserId: page.length < limit ? null : page.at(-1)!.userId,
    };
  };
}
