import { groupRoom, LIMITS, type Member, type Nickname } from "@fanfare/contract";
import { type Handlers, orThrow } from "@fanfare/kernel";
import { requireManageable } from "../authority.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentMember } from "../group.presenter.ts";
import { difference } from "./audit.ts";
import type { MemberDocument } from "./member.repository.ts";

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
