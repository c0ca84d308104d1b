import { type DomainEvents, type Handlers, orThrow, serviceError, responseUsers } from "@fanfare/kernel";
import { groupRoom, type Member, LIMITS, type Nickname, type MemberChange } from "@fanfare/contract";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentBan, presentMember, roleIdsOf } from "../group.presenter.ts";
import { removeJoinRequest } from "./join.ts";
import { outdated } from "./membership.ts";
import { requireManageableOrAbsent, requireManageable } from "../subjects.ts";
import { difference } from "./audit.ts";
import type { MemberDocument } from "./member.repository.ts";
import type { FormerMemberDocument } from "./departure.repository.ts";

export function memberActions(dependencies: GroupDependencies): Handlers {
  const { members, groups, membership, audit, bans, roles } = dependencies;
  return {
    "group.listMembers": async ({ params: { groupId, afterUserId, limit } }) => {
      const found = await members.listPage(groupId, afterUserId, limit + 1);
      const page = found.slice(0, limit);
      const nextUserId = found.length > limit ? (page.at(-1)?.userId ?? null) : null;
      return { members: page.map(presentMember), nextUserId };
    },

    "group.getMember": async ({ params: { groupId, userId } }) => {
      const member = orThrow(await members.find(groupId, userId), "MEMBER_NOT_FOUND");
      return { member: presentMember(member) };
    },

    "group.getMembers": async ({ params: { groupId, userIds } }) => {
      const found = await members.findMany(groupId, userIds);
      return { members: found.map(presentMember) };
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

/** The names and pictures of members in one group. */
export function nicknameActions(dependencies: GroupDependencies): Handlers {
  const { node, members, audit } = dependencies;
  const publish = (changed: MemberDocument | null): Member => {
    const member = presentMember(orThrow(changed, "MEMBER_NOT_FOUND"));
    node.publish(groupRoom(member.groupId), "member.updated", { member });
    return member;
  };
  return {
    "group.setOwnNickname": async ({ params, actor: { userId }, services }) => {
      const { groupId, nickname, avatarFileId: fileId } = params;
      const of = { type: "member", id: groupId } as const;
      const avatarUrl =
        typeof fileId === "string" ? (await services.file.usePicture({ fileId, userId, of })).url : fileId;
      const changed = await members.setNickname(groupId, userId, { nickname, avatarUrl });
      if (fileId !== undefined) {
        // The user may have left in the meantime.
        const exceptFileId = changed === null ? undefined : (fileId ?? undefined);
        // A picture that couldn't be removed is removed with the next change.
        await services.file.dropPictures({ of, userId, exceptFileId }).catch(() => undefined);
      }
      return { member: publish(changed) };
    },

    "group.setNickname": async ({ params, actor, services }) => {
      const { groupId, userId, nickname, avatarFileId: avatarUrl, reason } = params;
      const { target } = await requireManageable(dependencies, params, actor.userId);
      const member = publish(await members.setNickname(groupId, userId, { nickname, avatarUrl }));
      const changed = difference(shownOf(presentMember(target.member)), shownOf(member), [
        "nickname",
        "avatarUrl",
      ]);
      if (changed !== null)
        await audit(groupId, actor.userId, "group.setNickname", { targetId: userId, reason, ...changed });
      if (avatarUrl === null)
        await services.file.dropPictures({ of: { type: "member", id: groupId }, userId });
      return { member };
    },

    "group.listNicknames": async ({ params: { groupId } }) => ({
      nicknames: (await members.listWithNickname(groupId, LIMITS.nicknamesListed)).map(nicknameOf),
    }),

    "group.findNicknames": async ({ params: { groupId, userIds } }) => {
      const found = await members.findMany(groupId, userIds);
      return { nicknames: found.filter(({ nicknameIn }) => nicknameIn !== undefined).map(nicknameOf) };
    },
  };
}

const nicknameOf = ({ userId, nickname, avatarUrl }: MemberDocument): Nickname => ({
  userId,
  nickname,
  avatarUrl,
});

const shownOf = ({ nickname, avatarUrl }: Pick<Member, "nickname" | "avatarUrl">) => ({
  nickname: nickname ?? null,
  avatarUrl: avatarUrl ?? null,
});

/** The cost doesn't depend on the size of the group. */
export const memberChangeActions = ({ members, formers }: GroupDependencies): Handlers => ({
  "group.listMemberChanges": async ({ params: { groupId, withUsers }, services }) => {
    const [joined, left] = await Promise.all([
      members.listNewest(groupId, LIMITS.memberChangesListed),
      formers.listLatest(groupId, LIMITS.memberChangesListed),
    ]);
    const current = joined.map(({ userId, joinedAt }) => join(userId, joinedAt));
    const isBack = new Set(joined.map(({ userId }) => userId));
    const earlier = left.flatMap((former) =>
      former.joinedAt === undefined || isBack.has(former.userId)
        ? []
        : [join(former.userId, former.joinedAt)],
    );
    const changes = [...current, ...earlier, ...left.flatMap(departureOf)]
      .sort((a, b) => b.at.localeCompare(a.at) || a.userId.localeCompare(b.userId))
      .slice(0, LIMITS.memberChangesListed);
    const userIds = [...new Set(changes.map(({ userId }) => userId))];
    return { changes, ...(await responseUsers(services, withUsers, userIds)) };
  },
});

function join(userId: string, joinedAt: Date): MemberChange {
  return { userId, change: "joined", at: joinedAt.toISOString() };
}

/** None for documents of earlier versions, which have no time. */
export function departureOf({ userId, leftAt }: FormerMemberDocument): MemberChange[] {
  return leftAt === undefined ? [] : [{ userId, change: "left", at: leftAt.toISOString() }];
}
