import { type Result, type Subject, userRoom } from "@fanfare/contract";
import { assertBelow, orThrow, ResponseBudget, serviceError, withoutDeadline } from "@fanfare/kernel";
import type { ChannelDocument } from "../channel/channel.model.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel, presentGroup } from "../group.presenter.ts";
import type { GroupDocument } from "./group.repository.ts";
import { loadMember, newcomer, sees } from "../subjects.ts";

export type Joined = Result<"invite.accept">;

/**
 * Makes a user who has an invite, or found a listed group, a member.
 * @returns a function whose `admit` stores the member; null when another call has done so in the meantime
 */
export function createJoin(dependencies: GroupDependencies) {
  const { node, groups, channels, members, bans, membership } = dependencies;
  return async (
    groupId: string,
    userId: string,
    askedAtMs: number,
    admit: () => Promise<GroupDocument | null>,
  ): Promise<Joined> => {
    const [listed, isBanned, groupIds] = await Promise.all([
      channels.listOfGroup(groupId),
      bans.exists(groupId, userId),
      members.listGroupIds(userId),
    ]);
    const presentAsMember = async (): Promise<Joined> => {
      const group = orThrow(await groups.find(groupId), "INVITE_NOT_FOUND");
      const member = await loadMember(dependencies, groupId, userId);
      return present(group, visible(member?.subject ?? newcomer(userId), listed));
    };
    if (isBanned) throw serviceError("BANNED");
    if (groupIds.includes(groupId)) {
      // An earlier attempt may have stored the member and then failed before the sockets joined the rooms.
      await membership.settleRooms(groupId, userId, true);
      return presentAsMember();
    }
    assertBelow("groupsPerUser", groupIds.length);

    await Promise.all([
      membership.assertJoinNotOutdated(groupId, userId, askedAtMs),
      assertNotFull(dependencies, groupId),
    ]);
    const joined = await withoutDeadline(admit);
    if (joined === null) return presentAsMember();
    const result = present(joined, visible(newcomer(userId), listed));
    node.publish(userRoom(userId), "group.joined", result);
    return result;
  };
}

/** @throws {ServiceError} LIMIT_REACHED */
async function assertNotFull({ node, groups }: GroupDependencies, groupId: string): Promise<void> {
  const { membersPerGroup } = await node.policy.get();
  assertBelow("membersPerGroup", (await groups.memberCount(groupId)) ?? 0, membersPerGroup ?? undefined);
}

const visible = (subject: Subject, channels: readonly ChannelDocument[]): ChannelDocument[] =>
  channels.filter((channel) => sees(subject, channel));

function present(group: GroupDocument, channels: readonly ChannelDocument[]): Joined {
  return {
    group: presentGroup(group),
    channels: new ResponseBudget().takeWhileFits(channels.map(presentChannel)),
  };
}
