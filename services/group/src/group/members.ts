import { type DomainEvents, type Handlers, orThrow, serviceError } from "@fanfare/kernel";
import { groupRoom, type Member } from "@fanfare/contract";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentBan, presentMember, roleIdsOf } from "../group.presenter.ts";
import { removeJoinRequest } from "./ask-to-join.ts";
import { outdated } from "./membership.ts";
import { requireManageableOrAbsent } from "../authority.ts";

export function memberActions(dependencies: GroupDependencies): Handlers {
  const { members, groups, membership, audit, bans, roles } = dependencies;
  return {
    "group.listMembers": async ({ params: { groupId, afterUserId, limit } }) => {
      const found = await members.listPage(groupId, afterUserId, limit + 1);
      const page = found.slice(0, limit);
      const nextUserId = found.length > limit ? (page.at(-1)?.userId ?? null) : null;
      return { members: page.map((member) => presentMember(member)), nextUserId };
    },

    "group.getMember": async ({ params: { groupId, userId } }) => {
      const member = orThrow(await members.find(groupId, userId), "MEMBER_NOT_FOUND");
      return { member: presentMember(member) };
    },

    "group.getMembers": async ({ params: { groupId, userIds } }) => {
      const found = await members.findMany(groupId, userIds);
      return { members: found.map((member) => presentMember(member)) };
    },

    /** At most one indexed query each. Concurrent calls share the one for members. */
    "group.findMentioned": async ({ params: { groupId, userIds, roleIds } }) => {
      const [found, named] = await Promise.all([
        Promise.all(userIds.map(async (id) => ((await members.exists(groupId, id)) ? [id] : []))),
        roleIds.length === 0 ? [] : roles.findMany(roleIds),
      ]);
      const own = named.filter((role) => role.groupId === groupId);
      return { userIds: found.flat(), roles: own.map(({ _id: id, mentionable }) => ({ id, mentionable })) };
    },

    "group.listMemberIds": async ({ params: { groupId, roleIds, afterUserId, limit } }) => {
      const page = await members.listPage(groupId, afterUserId ?? undefined, limit);
      const meant =
        roleIds === null
          ? page
          : page.filter((member) => roleIdsOf(member).some((roleId) => roleIds.includes(roleId)));
      return {
        userIds: meant.map(({ userId }) => userId),
        nextUserId: page.length < limit ? null : page.at(-1)!.userId,
      };
    },

    "group.leave": async ({ params: { groupId }, actor, askedAtMs }) => {
      const group = orThrow(await groups.find(groupId), "GROUP_NOT_FOUND");
      if (group.ownerId === actor.userId) throw serviceError("OWNER_CANNOT_LEAVE");
      const member = await members.find(groupId, actor.userId);
      // The user has left and rejoined since: this call must not end the new membership.
      if (member !== null && member.joinedAt.getTime() > askedAtMs) throw outdated();
      const removal = await membership.remove(groupId, actor.userId, "left");
      if (removal === "is the owner") throw serviceError("OWNER_CANNOT_LEAVE");
      return {};
    },

    "group.kick": async ({ params: { groupId, userId, reason }, actor }) => {
      await requireManageableOrAbsent(dependencies, { groupId, userId }, actor.userId);
      const removal = await membership.remove(groupId, userId, "kicked");
      if (removal === "not a member") throw serviceError("MEMBER_NOT_FOUND");
      if (removal === "is the owner") throw serviceError("FORBIDDEN");
      await audit(groupId, actor.userId, "group.kick", { targetId: userId, reason });
      return {};
    },

    "group.ban": async ({ params: { groupId, userId, reason }, actor, services }) => {
      await requireManageableOrAbsent(dependencies, { groupId, userId }, actor.userId);
      await services.user.get({ userId });
      // The ban is stored before the removal: see `admit` in membership.ts.
      await bans.insert(groupId, userId, actor.userId, reason);
      await removeJoinRequest(dependencies, groupId, userId);
      const removal = await membership.remove(groupId, userId, "banned");
      if (removal === "is the owner") {
        await bans.remove(groupId, userId);
        throw serviceError("FORBIDDEN");
      }
      await audit(groupId, actor.userId, "group.ban", { targetId: userId, reason });
      return {};
    },

    "group.unban": async ({ params: { groupId, userId, reason }, actor }) => {
      if (await bans.remove(groupId, userId)) {
        await audit(groupId, actor.userId, "group.unban", { targetId: userId, reason });
      }
      return {};
    },

    "group.listBans": async ({ params: { groupId, afterUserId, limit } }) => {
      const found = await bans.listPage(groupId, afterUserId, limit + 1);
      const page = found.slice(0, limit).map(presentBan);
      return { bans: page, nextUserId: found.length > limit ? (page.at(-1)?.userId ?? null) : null };
    },

    "group.mute": async ({ params, actor }) => {
      const { groupId, userId, reason } = params;
      await requireManageableOrAbsent(dependencies, params, actor.userId);
      const member = await setMute(dependencies, params, new Date(Date.now() + params.durationMs));
      const after = { mutedUntil: member.mutedUntil };
      await dependencies.audit(groupId, actor.userId, "group.mute", { targetId: userId, reason, after });
      return { member };
    },

    "group.unmute": async ({ params, actor }) => {
      const { groupId, userId } = params;
      await requireManageableOrAbsent(dependencies, params, actor.userId);
      await dependencies.mutes.remove(groupId, userId);
      const member = await setMute(dependencies, params, null);
      await dependencies.audit(groupId, actor.userId, "group.unmute", { targetId: userId });
      return { member };
    },
  };
}

async function setMute(
  { node, members, membership }: GroupDependencies,
  { groupId, userId }: { groupId: string; userId: string },
  mutedUntil: Date | null,
): Promise<Member> {
  const changed = orThrow(await members.setMutedUntil(groupId, userId, mutedUntil), "MEMBER_NOT_FOUND");
  membership.forget(groupId, userId);
  const member = presentMember(changed);
  node.publish(groupRoom(groupId), "member.updated", { member });
  return member;
}

/** Publishes the new profile once to all members of the user's groups, even those who share several. */
export function userProfileChanged({ node, members }: Pick<GroupDependencies, "node" | "members">) {
  return async ({ user }: DomainEvents["user.profileChanged"]): Promise<void> => {
    const groupIds = await members.listGroupIds(user.id);
    node.publish(groupIds.map(groupRoom), "user.updated", { user });
  };
}
