import { type Services, LIMITS, type Params, type Result, userRoom } from "@fanfare/contract";
import {
  type Actor,
  assertBelow,
  duplicateKeyIndex,
  type Handlers,
  orThrow,
  newId,
  responseUsers,
  serviceError,
} from "@fanfare/kernel";
import type { ChannelDocument } from "../channel/channel.model.ts";
import { channelStates } from "../channel/list-channels.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";
import { activityCursorOf, parseActivityCursor } from "../activity.ts";
import { type DirectRepository, isClosed } from "./direct.repository.ts";

export function directActions(dependencies: GroupDependencies): Handlers {
  const { node, directs, channels, membership } = dependencies;
  return {
    "channel.openDirect": async ({ params: { userId }, actor, services }) => {
      const existing = await directs.find(directKey(actor.userId, userId));
      if (existing === null) {
        await services.user.get({ userId });
        if (userId !== actor.userId) await assertReachable(services, "direct", actor, [userId]);
        await assertRoomForDirects(directs, [actor.userId]);
      }
      const channel = existing ?? (await createDirect(dependencies, actor.userId, userId));
      const [state] = await channelStates(services, actor.userId, [channel]);
      if (state === undefined) throw serviceError("INTERNAL");
      if (channel.closedAtSeq?.[actor.userId] !== undefined) {
        await directs.reopen(state.id, actor.userId);
        node.publish(userRoom(actor.userId), "channel.created", { channel: presentChannel(channel) });
      }
      return { channel: state };
    },

    "channel.listDirect": async ({ params: { cursor, limit, withUsers }, actor: { userId }, services }) => {
      const before = cursor === undefined ? undefined : parseActivityCursor(cursor);
      const found = await directs.listOf(userId, before, limit + 1);
      const page = found.slice(0, limit).filter(({ deletedAt }) => deletedAt === undefined);
      const states = await channelStates(services, userId, page);
      const channels = states.filter(({ head }, index) => !isClosed(page[index]!, userId, head.seq));
      const memberIds = channels.flatMap((channel) => channel.memberIds);
      return {
        channels,
        nextCursor: found.length > limit ? activityCursorOf(found[limit - 1]!) : null,
        ...(await responseUsers(services, withUsers, memberIds)),
      };
    },

    "channel.closeDirect": async ({ params: { channelId }, actor: { userId }, services }) => {
      const channel = await channels.find(channelId);
      if (channel?.memberIds === undefined) throw serviceError("FORBIDDEN");
      const [state] = await channelStates(services, userId, [channel]);
      await directs.close(channelId, userId, state!.head.seq);
      node.publish(userRoom(userId), "channel.closed", { channelId });
      return {};
    },

    "channel.get": async ({
      params: { channelId },
      actor: { userId },
      services,
    }): Promise<Result<"channel.get">> => {
      const found = orThrow(await channels.find(channelId), "CHANNEL_NOT_FOUND");
      const [channel] = await channelStates(services, userId, [found]);
      return { channel: channel! };
    },

    /** One after the other: there can be many. */
    "channel.announceDirects": async ({ params: { channelIds } }) => {
      const userIds = new Set<string>();
      for (const channelId of channelIds) {
        const channel = await channels.find(channelId);
        if (channel?.memberIds === undefined) continue;
        node.publish(channel.memberIds.map(userRoom), "channel.created", {
          channel: presentChannel(channel),
        });
        for (const userId of channel.memberIds) userIds.add(userId);
      }
      node.publish([...userIds].map(userRoom), "resync", {});
      return {};
    },

    /** Access to a direct channel is cached under the id of the channel, in place of that of a group. */
    "group.forgetDirectAccess": async ({ params: { userId, otherId } }) => {
      const channel = await directs.find(directKey(userId, otherId));
      if (channel !== null) membership.forget(channel._id, null);
      return {};
    },
  };
}

/** When both users open the channel at the same time, the unique key lets one create it and the other gets that one. */
async function createDirect(
  { node, channels, directs }: GroupDependencies,
  actorId: string,
  userId: string,
): Promise<ChannelDocument> {
  const createdAt = new Date();
  const memberIds = [...new Set([actorId, userId])];
  const created: ChannelDocument = {
    _id: newId(),
    kind: "direct",
    name: "",
    position: 0,
    memberIds,
    directKey: directKey(actorId, userId),
    createdAt,
    lastActivityAt: createdAt,
  };
  try {
    await channels.insert(created);
  } catch (error) {
    const existing = duplicateKeyIndex(error) === null ? null : await directs.find(created.directKey!);
    if (existing === null) throw error;
    return existing;
  }
  node.publish(memberIds.map(userRoom), "channel.created", { channel: presentChannel(created) });
  return created;
}

/** The same for both users, regardless of order. */
export function directKey(userId: string, otherUserId: string): string {
  return [userId, otherUserId].sort().join(":");
}

/** @throws {ServiceError} LIMIT_REACHED when one of the users has the maximum number of direct channels */
export async function assertRoomForDirects(
  directs: DirectRepository,
  userIds: readonly string[],
): Promise<void> {
  const counts = await Promise.all(
    userIds.map((userId) => directs.countOf(userId, LIMITS.directChannelsPerUser)),
  );
  assertBelow("directChannelsPerUser", Math.max(...counts));
}

/** @throws {ServiceError} NOT_REACHABLE when one of the users doesn't accept this from the actor */
export async function assertReachable(
  services: Services,
  approach: Params<"friend.listReachable">["approach"],
  { userId, kind }: Pick<Actor, "userId" | "kind">,
  userIds: readonly string[],
): Promise<void> {
  const others = [...userIds];
  const reachable = await services.friend.listReachable({ userId, kind, userIds: others, approach });
  if (reachable.userIds.length < others.length) throw serviceError("NOT_REACHABLE");
}

export const acquaintanceActions = ({ members, directs }: GroupDependencies): Handlers => ({
  /** The cost depends on how many groups the users have, not on the size of the groups. */
  "group.listAcquaintances": async ({ params: { userId, userIds, groupsOnly } }) => {
    const [ownGroupIds, ...groupIds] = await Promise.all(
      [userId, ...userIds].map((id) => members.listGroupIds(id)),
    );
    const own = new Set(ownGroupIds);
    const known = new Set(
      userIds.filter((id, index) => id === userId || groupIds[index]!.some((groupId) => own.has(groupId))),
    );
    const others = groupsOnly ? [] : userIds.filter((id) => !known.has(id));
    const found = await directs.listKeys(others.map((id) => directKey(userId, id)));
    const companions = others.length === 0 ? new Set<string>() : await directs.listCompanions(userId);
    return {
      userIds: userIds.filter(
        (id) => known.has(id) || found.has(directKey(userId, id)) || companions.has(id),
      ),
    };
  },
});
