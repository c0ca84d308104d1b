import { LIMITS, userRoom } from "@fanfare/contract";
import { serviceError, type Handler, type NodeContext } from "@fanfare/kernel";
import { Types } from "mongoose";
import type { ChannelDocument } from "../channel.model.ts";
import { channelStates } from "../channel-states.ts";
import { assertRoomForDirects } from "../direct-limit.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";
import { assertReachable } from "../reachable.ts";

/** Others may come and go while somebody leaves. */
const MAX_ROUNDS = LIMITS.membersPerGroupDirect;

export function createGroupDirect(dependencies: GroupDependencies): Handler<"channel.createGroupDirect"> {
  const { node, channels, directs } = dependencies;
  return async ({ params, actor: { userId }, call }) => {
    const others = [...new Set(params.userIds)];
    if (others.includes(userId)) {
      const issues = [{ path: "userIds", message: "must be other users'" }];
      throw serviceError("VALIDATION_FAILED", { issues });
    }
    await assertReachable(call, "groupDirect", userId, others);
    const memberIds = [userId, ...others];
    await assertRoomForDirects(directs, memberIds);
    const createdAt = new Date();
    const created: ChannelDocument = {
      _id: new Types.ObjectId(),
      kind: "groupDirect",
      name: params.name ?? "",
      position: 0,
      memberIds: memberIds.map((id) => new Types.ObjectId(id)),
      createdAt,
      lastActivityAt: createdAt,
    };
    await channels.insert(created);
    node.publish(memberIds.map(userRoom), "channel.created", { channel: presentChannel(created) });
    const [channel] = await channelStates(call, userId, [created]);
    return { channel: channel! };
  };
}

export function addToDirect(dependencies: GroupDependencies): Handler<"channel.addToDirect"> {
  const { node, directs } = dependencies;
  return async ({ params: { channelId, userId }, actor, call }) => {
    const before = await findGroupDirect(dependencies, channelId);
    if (memberIdsOf(before).includes(userId)) return { channel: presentChannel(before) };
    await assertReachable(call, "groupDirect", actor.userId, [userId]);
    await assertRoomForDirects(directs, [userId]);
    const changed = await directs.addMember(channelId, userId);
    if (changed === null) {
      const now = await findGroupDirect(dependencies, channelId);
      if (memberIdsOf(now).includes(userId)) return { channel: presentChannel(now) };
      const max = LIMITS.membersPerGroupDirect;
      throw serviceError("LIMIT_REACHED", { limit: "membersPerGroupDirect", max });
    }
    forget(node, channelId);
    const channel = presentChannel(changed);
    const others = channel.memberIds.filter((id) => id !== userId);
    node.publish(others.map(userRoom), "channel.updated", { channel });
    node.publish(userRoom(userId), "channel.created", { channel });
    return { channel };
  };
}

export function removeFromDirect(dependencies: GroupDependencies): Handler<"channel.removeFromDirect"> {
  const { node, directs, purge } = dependencies;
  return async ({ params: { channelId, userId }, actor }) => {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const channel = await findGroupDirect(dependencies, channelId);
      const memberIds = memberIdsOf(channel);
      if (userId !== actor.userId && memberIds[0] !== actor.userId) throw serviceError("FORBIDDEN");
      if (!memberIds.includes(userId)) throw serviceError("MEMBER_NOT_FOUND");
      if (memberIds.length === 1) {
        if (!(await directs.markDeletedBy(channelId, userId))) continue;
        purge.direct(channelId, [userId]);
        return {};
      }
      const changed = await directs.removeMember(channelId, userId);
      if (changed === null) continue;
      forget(node, channelId);
      node.publish(userRoom(userId), "channel.deleted", { groupId: null, channelId });
      node.publish(memberIdsOf(changed).map(userRoom), "channel.updated", {
        channel: presentChannel(changed),
      });
      return {};
    }
    throw serviceError("UNAVAILABLE", { retryAfterMs: 0 });
  };
}

export function renameDirect({ node, directs }: GroupDependencies): Handler<"channel.renameDirect"> {
  return async ({ params: { channelId, name }, access }) => {
    const renamed = await directs.rename(channelId, name ?? "");
    if (renamed === null) throw serviceError("FORBIDDEN");
    const channel = presentChannel(renamed);
    node.publish(access.rooms, "channel.updated", { channel });
    return { channel };
  };
}

async function findGroupDirect(
  { channels }: Pick<GroupDependencies, "channels">,
  channelId: string,
): Promise<ChannelDocument> {
  const channel = await channels.find(channelId);
  if (channel === null) throw serviceError("CHANNEL_NOT_FOUND");
  if (channel.kind !== "groupDirect") throw serviceError("FORBIDDEN");
  return channel;
}

const memberIdsOf = ({ memberIds }: ChannelDocument): string[] =>
  memberIds?.map((id) => id.toHexString()) ?? [];

/** Every process forgets whose rooms hear of the channel, this one before anything else runs. */
function forget(node: NodeContext, channelId: string): void {
  node.access.invalidate(channelId, null);
  node.broadcast("access.changed", { groupId: channelId, userId: null });
}
