import type { NodeContext } from "@fanfare/kernel";
import type { GroupRepositories } from "./group.dependencies.ts";

const BATCH = 1000;
const CHANNEL_BATCH = 100;
const GROUPS_PER_SWEEP = 20;
/** The first sweep waits until the other services have started. */
const FIRST_SWEEP_MS = 5000;
const SWEEP_MS = 60_000;

export interface PurgeOptions extends GroupRepositories {
  node: Pick<NodeContext, "call" | "logger">;
}

export type Purge = ReturnType<typeof createPurge>;

/**
 * Removes what is left of groups and channels that are marked deleted, in batches, behind the actions. Everything here can
 * be repeated, and a sweep goes on with what a process that died has left undone.
 */
export function createPurge({ node, groups, channels, members, mutes, invites, bans }: PurgeOptions) {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
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

  const sweep = async (): Promise<void> => {
    const channelIds = await channels.listDeletedIds(CHANNEL_BATCH);
    if (channelIds.length > 0 && !stopped) await removeChannels(channelIds);
    for (const groupId of await groups.listDeletedIds(GROUPS_PER_SWEEP)) {
      if (!stopped) await purgeGroup(groupId);
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

  const sweepIn = (delayMs: number): void => {
    timer = setTimeout(() => {
      inBackground(sweep);
      sweepIn(SWEEP_MS);
    }, delayMs);
  };

  return {
    start: () => sweepIn(FIRST_SWEEP_MS),
    group: (groupId: string) => inBackground(() => purgeGroup(groupId)),
    channel: (channelId: string) => inBackground(() => removeChannels([channelId])),
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
