import type { NodeContext } from "@fanfare/kernel";
import { groupRoom, LIMITS, userRoom } from "@fanfare/contract";
import type { GroupRepositories } from "./group.dependencies.ts";
import type { Membership } from "./membership.ts";

const BATCH = 1000;
const CHANNEL_BATCH = 100;
const GROUPS_PER_SWEEP = 20;
/** The first sweep waits until the other services have started. */
const FIRST_SWEEP_MS = 5000;
const SWEEP_MS = 60_000;
/** After another process has died: what it had begun has come in or is given up by then. */
const SWEEP_AFTER_LOSS_MS = 10_000;
/** Longer than a process takes that is alive. */
const ABANDONED_AFTER_MS = LIMITS.writeTimeoutMs;
const DEPARTURES_PER_SWEEP = 1000;

export interface PurgeOptions extends GroupRepositories {
  node: Pick<NodeContext, "call" | "logger" | "publish" | "fanout" | "cluster">;
  membership: Pick<Membership, "forget" | "finish">;
}

export type Purge = ReturnType<typeof createPurge>;

/**
 * Tells of groups and channels that are marked deleted, then removes what is left of them, in batches, behind the actions.
 * Everything here can be repeated, and a sweep goes on with what a process that died has left undone: it tells again too,
 * for that process may have died before, and it finishes departures from groups.
 */
export function createPurge(options: PurgeOptions) {
  const { node, membership, groups, channels, members, mutes, invites, bans, departures } = options;
  /** Channels and groups that this process is removing. */
  const underWay = new Set<string>();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let timerAfterLoss: NodeJS.Timeout | undefined;
  const running = new Set<Promise<void>>();

  const removeChannels = async (channelIds: string[]): Promise<void> => {
    // First what was written in them: as long as this fails the channels stay marked, and a sweep tries again.
    await node.call("message.removeChannels", { channelIds });
    await channels.remove(channelIds);
  };

  const inBatches = async (removeBatch: () => Promise<boolean>): Promise<void> => {
    for (let isMore = true; isMore;) isMore = !stopped && (await removeBatch());
  };

  const removeInvites = async (groupId: string): Promise<boolean> => {
    const found = await invites.listOfGroup(groupId, BATCH);
    await invites.remove(found.map(({ _id }) => _id));
    return found.length === BATCH;
  };

  const purgeGroup = async (groupId: string): Promise<void> => {
    await inBatches(async () => {
      const channelIds = await channels.listIdsOfGroup(groupId, CHANNEL_BATCH);
      if (channelIds.length > 0) await removeChannels(channelIds);
      return channelIds.length === CHANNEL_BATCH;
    });
    await inBatches(async () => (await members.removeSome(groupId, BATCH)) === BATCH);
    await inBatches(async () => (await mutes.removeSome(groupId, BATCH)) === BATCH);
    await inBatches(() => removeInvites(groupId));
    await inBatches(async () => (await bans.removeSome(groupId, BATCH)) === BATCH);
    if (!stopped) await groups.remove(groupId);
  };

  const tellGroup = (groupId: string): void => {
    membership.forget(groupId, null);
    const room = groupRoom(groupId);
    node.publish(room, "group.deleted", { groupId });
    node.fanout.socketsLeave(room, [room]);
  };

  const tellChannel = (groupId: string, channelId: string): void => {
    // Access is remembered by user and channel; all of the group's is forgotten, because channels are rarely deleted.
    membership.forget(groupId, null);
    node.publish(groupRoom(groupId), "channel.deleted", { groupId, channelId });
  };

  const tellDirect = (channelId: string, memberIds: readonly string[]): void => {
    membership.forget(channelId, null);
    node.publish(memberIds.map(userRoom), "channel.deleted", { groupId: null, channelId });
  };

  const once = async (id: string, work: () => Promise<void>): Promise<void> => {
    if (stopped || underWay.has(id)) return;
    underWay.add(id);
    await work().finally(() => underWay.delete(id));
  };

  const finishDepartures = async (): Promise<void> => {
    const before = new Date(Date.now() - ABANDONED_AFTER_MS);
    for (const departure of await departures.listBegunBefore(before, DEPARTURES_PER_SWEEP)) {
      if (!stopped) await membership.finish(departure);
    }
  };

  const sweep = async (): Promise<void> => {
    await finishDepartures();
    for (const { _id, groupId, memberIds } of await channels.listDeleted(CHANNEL_BATCH)) {
      const channelId = _id.toHexString();
      await once(channelId, async () => {
        if (groupId !== undefined) tellChannel(groupId.toHexString(), channelId);
        else tellDirect(channelId, memberIds?.map((id) => id.toHexString()) ?? []);
        await removeChannels([channelId]);
      });
    }
    for (const groupId of await groups.listDeletedIds(GROUPS_PER_SWEEP)) {
      await once(groupId, async () => {
        tellGroup(groupId);
        await purgeGroup(groupId);
      });
    }
  };

  /** What fails is left to the next sweep. */
  const inBackground = (work: () => Promise<void>): void => {
    if (stopped) return;
    const task: Promise<void> = work()
      .catch((error: unknown) => node.logger.warn({ err: error }, "removing deleted groups failed"))
      .finally(() => running.delete(task));
    running.add(task);
  };

  const sweepInBackground = (): void => inBackground(() => once("sweep", sweep));

  const sweepIn = (delayMs: number): void => {
    timer = setTimeout(() => {
      sweepInBackground();
      sweepIn(SWEEP_MS);
    }, delayMs);
  };

  return {
    start(): void {
      sweepIn(FIRST_SWEEP_MS);
      node.cluster.onMissed(() => {
        if (stopped) return;
        timerAfterLoss ??= setTimeout(() => {
          timerAfterLoss = undefined;
          sweepInBackground();
        }, SWEEP_AFTER_LOSS_MS);
      });
    },
    group(groupId: string): void {
      tellGroup(groupId);
      inBackground(() => once(groupId, () => purgeGroup(groupId)));
    },
    channel(groupId: string, channelId: string): void {
      tellChannel(groupId, channelId);
      inBackground(() => once(channelId, () => removeChannels([channelId])));
    },
    /** A direct channel whose last members were these. */
    direct(channelId: string, memberIds: readonly string[]): void {
      tellDirect(channelId, memberIds);
      inBackground(() => once(channelId, () => removeChannels([channelId])));
    },
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(timerAfterLoss);
      await Promise.all(running);
    },
  };
}
