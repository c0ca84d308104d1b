import type { NodeContext } from "@fanfare/kernel";
import { groupRoom, roleRoom, LIMITS, userRoom } from "@fanfare/contract";
import type { ChannelDocument, OverrideSubdocument } from "./channel/channel.model.ts";
import type { ChannelMoves } from "./channel/channel-moves.ts";
import { ownRooms, roomInUse } from "./channel/rooms.ts";
import type { GroupRepositories } from "./group.dependencies.ts";
import { publishReportsChanged } from "./report/reports.ts";
import type { Membership } from "./group/membership.ts";

const BATCH = 1000;
const CHANNEL_BATCH = 100;
const GROUPS_PER_SWEEP = 20;
/** Gives the other services time to start. */
const FIRST_SWEEP_MS = 5000;
const SWEEP_MS = 60_000;
/** After another process has died, its pending changes have arrived or timed out by then. */
const SWEEP_AFTER_LOSS_MS = 10_000;
/** Longer than a live process takes. */
const ABANDONED_AFTER_MS = LIMITS.writeTimeoutMs;
const UNFINISHED_AFTER_MS = 60 * 60 * 1000;
const DEPARTURES_PER_SWEEP = 1000;

interface PurgeOptions extends GroupRepositories {
  node: Pick<NodeContext, "services" | "logger" | "publish" | "fanout" | "cluster" | "jobs">;
  membership: Pick<Membership, "forget" | "finish">;
  moves: Pick<ChannelMoves, "move" | "change">;
}

type DeletedChannel = Pick<ChannelDocument, "_id" | "groupId" | "roomRev">;
type DeletedThread = Pick<ChannelDocument, "_id" | "parentId" | "parentGroupId">;

/**
 * Publishes the deletion of groups, channels and roles, then removes their data in batches in the background. All steps are
 * idempotent. A sweep resumes what a dead process left: it publishes deletions again, in case that process didn't, and completes
 * departures and moves between rooms.
 */
export function createPurge(options: PurgeOptions) {
  const { node, membership, moves, groups, channels, members, mutes, invites, bans, departures, formers } =
    options;
  const { joinRequests, roles, emoji, overrides, audits, threads, wordFilters, reports, importedPlaces } =
    options;
  /** Ids of what this process is removing. */
  const inFlight = new Set<string>();
  let stopped = false;
  const running = new Set<Promise<void>>();

  const inBatches = async (removeBatch: () => Promise<boolean>): Promise<void> => {
    for (let isMore = true; isMore;) isMore = !stopped && (await removeBatch());
  };

  const removeWithMessages = async (channelIds: string[]): Promise<void> => {
    // Messages first: if this fails, the channels stay marked and a sweep retries.
    await node.services.message.removeChannels({ channelIds });
    for (const groupId of await reports.removeOfChannels(channelIds))
      await publishReportsChanged(options, groupId);
    await channels.remove(channelIds);
  };

  /** Removes their threads first, because nothing else would find them. */
  const removeChannels = async (channelIds: string[]): Promise<void> => {
    await inBatches(async () => {
      const threadIds = await threads.listIdsOf(channelIds, CHANNEL_BATCH);
      if (threadIds.length > 0) await removeWithMessages(threadIds);
      return threadIds.length === CHANNEL_BATCH;
    });
    if (!stopped) await removeWithMessages(channelIds);
  };

  const removeDirect = async (channelId: string): Promise<void> => {
    await inBatches(async () => (await formers.removeSome(channelId, BATCH)) === BATCH);
    // Before the channel: without it, no sweep would retry.
    await node.services.user.removeImported({ groupId: channelId });
    await removeChannels([channelId]);
  };

  const purgeGroup = async (groupId: string): Promise<void> => {
    // Users who wait for approval aren't in the group's room.
    for (const { userId } of await joinRequests.listOpen(groupId, LIMITS.joinRequestsPerGroup))
      node.publish(userRoom(userId), "joinRequest.removed", { groupId });
    for (const room of (await overrides.listPrivate(groupId)).flatMap(ownRooms)) {
      node.fanout.socketsLeave(room, [room]);
    }
    for (const { _id } of await roles.listOfGroup(groupId)) {
      const room = roleRoom(_id);
      node.fanout.socketsLeave(room, [room]);
    }
    await inBatches(async () => {
      const channelIds = await channels.listIdsOfGroup(groupId, CHANNEL_BATCH);
      if (channelIds.length > 0) await removeChannels(channelIds);
      return channelIds.length === CHANNEL_BATCH;
    });
    for (const one of [
      members,
      formers,
      mutes,
      invites,
      joinRequests,
      bans,
      roles,
      emoji,
      audits,
      importedPlaces,
    ])
      await inBatches(async () => (await one.removeSome(groupId, BATCH)) === BATCH);
    // Other deletions don't wait for data that is no longer visible.
    for (const type of ["group", "member", "emoji"] as const)
      await node.services.file.dropPictures({ of: { type, id: groupId } }).catch(() => undefined);
    await wordFilters.remove(groupId);
    await node.services.user.removeImported({ groupId });
    if (!stopped) await groups.remove(groupId);
  };

  const publishGroupDeleted = (groupId: string): void => {
    membership.forget(groupId, null);
    const room = groupRoom(groupId);
    node.publish(room, "group.deleted", { groupId });
    node.fanout.socketsLeave(room, [room]);
  };

  const publishChannelDeleted = (channel: DeletedChannel): void => {
    const groupId = channel.groupId!;
    // Access is cached by user and channel; channels are rarely deleted, so all entries of the group are dropped.
    membership.forget(groupId, null);
    const room = roomInUse(channel);
    node.publish(room, "channel.deleted", { groupId, channelId: channel._id });
    if (room !== groupRoom(groupId)) node.fanout.socketsLeave(room, [room]);
  };

  /** A deleted role grants nothing; this removes the sockets that could see channels through it. */
  const closeRole = async (groupId: string, roleId: string): Promise<void> => {
    membership.forget(groupId, null);
    const isOfRole = (override: OverrideSubdocument): boolean => override.id === roleId;
    for (const channel of await channels.listOfGroup(groupId)) {
      if (stopped) return;
      if (!(channel.overrides ?? []).some(isOfRole)) continue;
      await moves.change(channel._id, (overrides) => overrides.filter((one) => !isOfRole(one)));
    }
    const room = roleRoom(roleId);
    node.publish(groupRoom(groupId), "role.deleted", { groupId, roleId });
    node.fanout.socketsLeave(room, [room]);
  };

  const purgeRole = async (roleId: string): Promise<void> => {
    await inBatches(async () => (await members.removeRoleOfSome(roleId, BATCH)) === BATCH);
    if (!stopped) await roles.remove(roleId);
  };

  /** Nothing to publish if the parent is deleted too. */
  const publishThreadDeleted = async ({ _id, parentId, parentGroupId }: DeletedThread): Promise<void> => {
    const groupId = parentGroupId!;
    membership.forget(groupId, null);
    const parent = await channels.find(parentId!);
    if (parent === null) return;
    node.publish(roomInUse(parent), "channel.deleted", { groupId, channelId: _id });
  };

  const publishDirectDeleted = (channelId: string, memberIds: readonly string[]): void => {
    membership.forget(channelId, null);
    node.publish(memberIds.map(userRoom), "channel.deleted", { groupId: null, channelId });
  };

  /** Failures are retried by the next sweep and must not block other work. */
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      node.logger.warn({ err: error }, "deletion not completed, retrying");
    }
  };

  const once = async (id: string, work: () => Promise<void>): Promise<void> => {
    if (stopped || inFlight.has(id)) return;
    inFlight.add(id);
    await attempt(work);
    inFlight.delete(id);
  };

  const finishDepartures = async (): Promise<void> => {
    const before = new Date(Date.now() - ABANDONED_AFTER_MS);
    for (const departure of await departures.listBegunBefore(before, DEPARTURES_PER_SWEEP)) {
      if (!stopped) await attempt(() => membership.finish(departure));
    }
  };

  const finishMoves = async (): Promise<void> => {
    const before = new Date(Date.now() - ABANDONED_AFTER_MS);
    for (const channelId of await overrides.listMovingSince(before, CHANNEL_BATCH)) {
      if (!stopped) await attempt(() => moves.move(channelId));
    }
  };

  const sweep = async (): Promise<void> => {
    await finishDepartures();
    await finishMoves();
    for (const { _id: roleId, groupId } of await roles.listDeleted(CHANNEL_BATCH)) {
      await once(roleId, async () => {
        await closeRole(groupId, roleId);
        await purgeRole(roleId);
      });
    }
    for (const channel of await channels.listDeleted(CHANNEL_BATCH)) {
      const { _id: channelId, memberIds } = channel;
      await once(channelId, async () => {
        if (channel.groupId !== undefined) publishChannelDeleted(channel);
        else if (channel.parentId !== undefined) await publishThreadDeleted(channel);
        else {
          publishDirectDeleted(channelId, memberIds ?? []);
          return removeDirect(channelId);
        }
        await removeChannels([channelId]);
      });
    }
    const untouchedSince = new Date(Date.now() - UNFINISHED_AFTER_MS);
    for (const groupId of await groups.listUnfinishedSince(untouchedSince, GROUPS_PER_SWEEP))
      await attempt(() => groups.cancel(groupId));
    for (const groupId of await groups.listDeletedIds(GROUPS_PER_SWEEP)) {
      await once(groupId, async () => {
        publishGroupDeleted(groupId);
        await purgeGroup(groupId);
      });
    }
  };

  const inBackground = (work: () => Promise<void>): void => {
    if (stopped) return;
    const task: Promise<void> = attempt(work).finally(() => running.delete(task));
    running.add(task);
  };

  const sweeps = node.jobs.define("group.finishRemovals", { everyMs: SWEEP_MS, run: () => sweep() });
  const sweepIn = async (ms: number): Promise<void> => {
    if (!stopped) await sweeps.enqueue("", null, new Date(Date.now() + ms));
  };

  return {
    /** Resolves when the role no longer makes channels visible; removing it from members continues in the background. */
    async role(groupId: string, roleId: string): Promise<void> {
      await closeRole(groupId, roleId);
      inBackground(() => once(roleId, () => purgeRole(roleId)));
    },
    async start(): Promise<void> {
      await sweepIn(FIRST_SWEEP_MS);
      node.cluster.onMissed(() => inBackground(() => sweepIn(SWEEP_AFTER_LOSS_MS)));
    },
    group(groupId: string): void {
      publishGroupDeleted(groupId);
      inBackground(() => once(groupId, () => purgeGroup(groupId)));
    },
    channel(channel: DeletedChannel): void {
      const channelId = channel._id;
      publishChannelDeleted(channel);
      inBackground(() => once(channelId, () => removeChannels([channelId])));
    },
    async thread(thread: DeletedThread): Promise<void> {
      const channelId = thread._id;
      await publishThreadDeleted(thread);
      inBackground(() => once(channelId, () => removeChannels([channelId])));
    },
    /** @param memberIds the last members */
    direct(channelId: string, memberIds: readonly string[]): void {
      publishDirectDeleted(channelId, memberIds);
      inBackground(() => once(channelId, () => removeDirect(channelId)));
    },
    async stop(): Promise<void> {
      stopped = true;
      await Promise.all(running);
    },
  };
}
