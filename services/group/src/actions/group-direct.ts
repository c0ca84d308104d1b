import { LIMITS, userRoom } from "@fanfare/contract";
import { newId, serviceError, type Handler } from "@fanfare/kernel";
import type { ChannelDocument } from "../channel.model.ts";
import { channelStates } from "../channel-states.ts";
import { takeOutOfDirect } from "../direct-departure.ts";
import { assertRoomForDirects } from "../direct-limit.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";
import { assertReachable } from "../reachable.ts";

export function createGroupDirect(dependencies: GroupDependencies): Handler<"channel.createGroupDirect"> {
  const { node, channels, directs } = dependencies;
  return async ({ params, actor, call }) => {
    const { userId } = actor;
    const others = [...new Set(params.userIds)];
    if (others.includes(userId)) {
      const issues = [{ path: "userIds", message: "must be other users'" }];
      throw serviceError("VALIDATION_FAILED", { issues });
    }
    await assertReachable(call, "groupDirect", actor, others);
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
    const [channel] = await channelStates(call, userId, [created]);
    return { channel: channel! };
  };
}

export function addToDirect(dependencies: GroupDependencies): Handler<"channel.addToDirect"> {
  const { node, directs, membership } = dependencies;
  return async ({ params: { channelId, userId }, actor, call }) => {
    const before = await findGroupDirect(dependencies, channelId);
    if (memberIdsOf(before).includes(userId)) return { channel: presentChannel(before) };
    await assertReachable(call, "groupDirect", actor, [userId]);
    await assertRoomForDirects(directs, [userId]);
    const changed = await directs.addMember(channelId, userId);
    if (changed === null) {
      const now = await findGroupDirect(dependencies, channelId);
      if (memberIdsOf(now).includes(userId)) return { channel: presentChannel(now) };
      const max = LIMITS.membersPerGroupDirect;
      throw serviceError("LIMIT_REACHED", { limit: "membersPerGroupDirect", max });
    }
    membership.forget(channelId, null);
    const channel = presentChannel(changed);
    const others = channel.memberIds.filter((id) => id !== userId);
    node.publish(others.map(userRoom), "channel.updated", { channel });
    node.publish(userRoom(userId), "channel.created", { channel });
    return { channel };
  };
}

export function removeFromDirect(dependencies: GroupDependencies): Handler<"channel.removeFromDirect"> {
  return async ({ params: { channelId, userId }, actor }) => {
    const [ownerId] = memberIdsOf(await findGroupDirect(dependencies, channelId));
    if (userId !== actor.userId && ownerId !== actor.userId) throw serviceError("FORBIDDEN");
    if (!(await takeOutOfDirect(dependencies, channelId, userId))) throw serviceError("MEMBER_NOT_FOUND");
    return {};
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

const memberIdsOf = ({ memberIds }: ChannelDocument): string[] => memberIds ?? [];
