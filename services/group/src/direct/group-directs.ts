import { LIMITS, userRoom } from "@fanfare/contract";
import { type Handlers, invalid, limitReached, orThrow, newId, serviceError } from "@fanfare/kernel";
import type { ChannelDocument } from "../channel/channel.model.ts";
import { channelStates } from "../channel/list-channels.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";
import { assertReachable, assertRoomForDirects } from "./directs.ts";

/** Members can be added or removed in the meantime. */
const MAX_ROUNDS = LIMITS.membersPerGroupDirect;

export function groupDirectActions(dependencies: GroupDependencies): Handlers {
  const { node, channels, directs, membership } = dependencies;
  return {
    "channel.createGroupDirect": async ({ params, actor, services }) => {
      const { userId } = actor;
      const others = [...new Set(params.userIds)];
      if (others.includes(userId)) throw invalid("userIds", "must be other users'");
      await assertReachable(services, "groupDirect", actor, others);
      const memberIds = [userId, ...others];
      await assertRoomForDirects(directs, memberIds);
      const createdAt = new Date();
      const created: ChannelDocument = {
        _id: newId(),
        kind: "groupDirect",
        name: params.name ?? "",
        position: 0,
        memberIds,
        createdAt,
        lastActivityAt: createdAt,
      };
      await channels.insert(created);
      node.publish(memberIds.map(userRoom), "channel.created", { channel: presentChannel(created) });
      const [channel] = await channelStates(services, userId, [created]);
      return { channel: channel! };
    },

    "channel.addToDirect": async ({ params: { channelId, userId }, actor, services }) => {
      const before = await findGroupDirect(dependencies, channelId);
      if (memberIdsOf(before).includes(userId)) return { channel: presentChannel(before) };
      await assertReachable(services, "groupDirect", actor, [userId]);
      await assertRoomForDirects(directs, [userId]);
      const changed = await directs.addMember(channelId, userId);
      if (changed === null) {
        const now = await findGroupDirect(dependencies, channelId);
        if (memberIdsOf(now).includes(userId)) return { channel: presentChannel(now) };
        throw limitReached("membersPerGroupDirect");
      }
      membership.forget(channelId, null);
      const channel = presentChannel(changed);
      const others = channel.memberIds.filter((id) => id !== userId);
      node.publish(others.map(userRoom), "channel.updated", { channel });
      node.publish(userRoom(userId), "channel.created", { channel });
      return { channel };
    },

    "channel.removeFromDirect": async ({ params: { channelId, userId }, actor }) => {
      const [ownerId] = memberIdsOf(await findGroupDirect(dependencies, channelId));
      if (userId !== actor.userId && ownerId !== actor.userId) throw serviceError("FORBIDDEN");
      if (!(await removeFromDirect(dependencies, channelId, userId))) throw serviceError("MEMBER_NOT_FOUND");
      return {};
    },

    "channel.renameDirect": async ({ params: { channelId, name }, access }) => {
      const renamed = orThrow(await directs.rename(channelId, name ?? ""), "FORBIDDEN");
      const channel = presentChannel(renamed);
      node.publish(access.rooms, "channel.updated", { channel });
      return { channel };
    },
  };
}

async function findGroupDirect(
  { channels }: Pick<GroupDependencies, "channels">,
  channelId: string,
): Promise<ChannelDocument> {
  const channel = orThrow(await channels.find(channelId), "CHANNEL_NOT_FOUND");
  if (channel.kind !== "groupDirect") throw serviceError("FORBIDDEN");
  return channel;
}

const memberIdsOf = ({ memberIds }: ChannelDocument): string[] => memberIds ?? [];

/**
 * Removes a user from a group DM and publishes it. Removing the last member deletes the channel.
 * @returns false when the user is not a member
 */
export async function removeFromDirect(
  { node, channels, directs, formers, membership, purge }: GroupDependencies,
  channelId: string,
  userId: string,
): Promise<boolean> {
  const isIn = async (): Promise<boolean> => {
    const channel = await channels.find(channelId);
    return channel !== null && presentChannel(channel).memberIds.includes(userId);
  };
  if (!(await isIn())) return false;
  // Stored first, so that a data export never misses the channel.
  await formers.note(channelId, userId);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const changed = await directs.removeMember(channelId, userId);
    if (changed !== null) {
      membership.forget(channelId, null);
      const channel = presentChannel(changed);
      node.publish(userRoom(userId), "channel.deleted", { groupId: null, channelId });
      node.publish(channel.memberIds.map(userRoom), "channel.updated", { channel });
      return true;
    }
    if (await directs.markDeletedBy(channelId, userId)) {
      purge.direct(channelId, [userId]);
      return true;
    }
    if (!(await isIn())) return false;
  }
  throw serviceError("UNAVAILABLE", { retryAfterMs: 0 });
}
