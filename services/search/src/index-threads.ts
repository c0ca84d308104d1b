import { ACTIVITY_LATE_MS, THREADS_PER_SEARCH } from "./bounds.ts";
import { indexPlaces, type Budget, type Place } from "./index-places.ts";
import type { SearchDependencies } from "./search.dependencies.ts";

const BEGINNING = `0-${"0".repeat(24)}`;

/**
 * Brings the threads of a group up to their heads: those in which something was written since it was done last, oldest first, so that
 * nothing is left out where a search ends before.
 * @returns whether it is all there
 */
export async function indexThreads(
  dependencies: SearchDependencies,
  groupId: string,
  userId: string,
  budget: Budget,
): Promise<boolean> {
  const { node, groupProgress } = dependencies;
  const known = (await groupProgress.find(groupId)) ?? BEGINNING;
  const after = earlier(known, `${Date.now() - ACTIVITY_LATE_MS}-${"0".repeat(24)}`);
  const asked = { groupId, after, limit: THREADS_PER_SEARCH };
  const { threads } = await node.call("channel.listActiveThreads", asked);
  if (threads.length === 0) return true;
  const channelIds = threads.map(({ channelId }) => channelId);
  const { heads } = await node.call("message.listHeads", { userId, channelIds });
  const isThere = await indexPlaces(dependencies, heads satisfies Place[], budget);
  const { cursor } = threads.at(-1)!;
  // Only then: a process that dies in between does the same again.
  if (isThere && cursor !== known) await groupProgress.set(groupId, cursor);
  return isThere && threads.length < THREADS_PER_SEARCH;
}

function earlier(a: string, b: string): string {
  return Number(a.split("-")[0]) <= Number(b.split("-")[0]) ? a : b;
}
