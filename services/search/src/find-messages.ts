import {
  type Services,
  type Channel,
  type Head,
  listChannels,
  type Message,
  type ParsedParams,
} from "@fanfare/contract";
import { callOf, boundedMap, type Handler, may, type NodeContext, serviceError } from "@fanfare/kernel";
import {
  ACTIVITY_LATE_MS,
  INDEX_CONCURRENCY,
  REMOVALS_PER_BATCH,
  STEPS_PER_SEARCH,
  THREADS_PER_SEARCH,
} from "./bounds.ts";
import { threadToken, wantedWords } from "./message-tokens.ts";
import type { SearchDependencies } from "./search.dependencies.ts";
import type { SearchWord } from "./tokenize.ts";

interface Place {
  channelId: string;
  head: Head;
}

/** Steps of indexing that a search waits for. */
interface Budget {
  steps: number;
}

const BEGINNING = `0-${"0".repeat(24)}`;

type Search = ParsedParams<"message.search">;

interface Where {
  /** What is to be indexed before. */
  places: readonly Place[];
  /** Where the entries are. */
  channelIds: readonly string[];
  /** The only one that is searched; null: whatever is in the channels. */
  threadId: string | null;
  /** The group whose threads are searched too; null: none are. */
  groupId: string | null;
}

const HIGHEST_ID = "f".repeat(24);

export function search(dependencies: SearchDependencies): Handler<"message.search"> {
  return async ({ params, actor: { userId }, services }) => {
    const { node, entries } = dependencies;
    const where = await visiblePlaces(node, services, userId, params);
    const budget = { steps: STEPS_PER_SEARCH };
    const isThere = await indexPlaces(dependencies, where.places, budget);
    const { groupId } = where;
    const areThreadsThere = groupId === null || (await indexThreads(dependencies, groupId, userId, budget));
    // The contract sees to it that something is asked for.
    const words = wantedWords(params, where.threadId) as [SearchWord, ...SearchWord[]];
    const { messageIds, nextBelow } = await entries.find({
      channelIds: where.channelIds,
      words,
      below: lower(params.cursor ?? HIGHEST_ID, idAfter(params.before)),
      from: idAt(params.after),
      limit: params.limit,
    });
    const found = await readMessages(dependencies, messageIds, new Set(where.channelIds));
    return {
      messages: found.messages.filter((message) => isInTime(message, params)),
      threads: found.threads,
      nextCursor: found.nextCursor ?? nextBelow,
      isComplete: isThere && areThreadsThere,
    };
  };
}

/** What the searcher sees now: nothing else is looked at. */
async function visiblePlaces(
  node: NodeContext,
  services: Services,
  userId: string,
  { groupId, channelId }: Search,
): Promise<Where> {
  if (groupId !== undefined) {
    const channels = await listChannels(callOf(services), groupId);
    const places = channels.map(({ id, head }) => ({ channelId: id, head }));
    return { places, channelIds: channels.map(({ id }) => id), threadId: null, groupId };
  }
  const access = await node.access.get(userId, { channelId: channelId! });
  if (!may(access, "view")) throw serviceError("CHANNEL_NOT_FOUND");
  const [{ heads }, { channels }] = await Promise.all([
    node.services.message.listHeads({ userId, channelIds: [channelId!] }),
    access.groupId === null
      ? { channels: [] }
      : node.services.channel.findThreads({ channelIds: [channelId!] }),
  ]);
  const parentId = channels[0]?.parentId;
  return parentId == null
    ? { places: heads, channelIds: [channelId!], threadId: null, groupId: access.groupId }
    : { places: heads, channelIds: [parentId], threadId: channelId!, groupId: null };
}

/** @returns `nextCursor`: the last message that was read, where the others did not fit into the answer */
async function readMessages(
  { node, entries }: SearchDependencies,
  messageIds: readonly string[],
  channelIds: ReadonlySet<string>,
): Promise<{ messages: Message[]; threads: Channel[]; nextCursor: string | null }> {
  if (messageIds.length === 0) return { messages: [], threads: [], nextCursor: null };
  const { messages, stoppedAt } = await node.services.message.getMany({ messageIds: [...messageIds] });
  const byId = new Map(messages.map((message) => [message.id, message]));
  const read = messageIds.filter((id) => stoppedAt === null || id > stoppedAt);
  const gone = read.filter((id) => !byId.has(id));
  if (gone.length > 0) await entries.delete(gone);
  const elsewhere = new Set(messages.map((message) => message.channelId).filter((id) => !channelIds.has(id)));
  const threads = elsewhere.size === 0 ? [] : await seenThreads(node, [...elsewhere], channelIds);
  const seen = new Set([...channelIds, ...threads.map(({ id }) => id)]);
  const ordered = read.flatMap((id) => byId.get(id) ?? []);
  return {
    messages: ordered.filter(({ channelId }) => seen.has(channelId)),
    threads,
    nextCursor: stoppedAt === null ? null : read.at(-1)!,
  };
}

/** Those that are there, in channels that the searcher sees. */
async function seenThreads(
  node: NodeContext,
  threadIds: string[],
  channelIds: ReadonlySet<string>,
): Promise<Channel[]> {
  const { channels } = await node.services.channel.findThreads({ channelIds: threadIds });
  return channels.filter(({ parentId }) => parentId !== null && channelIds.has(parentId));
}

/** Ids know the second only. */
function isInTime({ createdAt }: Message, { after, before }: Search): boolean {
  return (after === undefined || createdAt >= after) && (before === undefined || createdAt < before);
}

function idAt(time: string | undefined): string {
  return idOfSecond(time === undefined ? 0 : Math.floor(Date.parse(time) / 1000));
}

function idAfter(time: string | undefined): string {
  return time === undefined ? HIGHEST_ID : idOfSecond(Math.floor(Date.parse(time) / 1000) + 1);
}

function idOfSecond(second: number): string {
  const bounded = Math.min(Math.max(0, second), 0xff_ff_ff_ff);
  return bounded.toString(16).padStart(8, "0") + "0".repeat(16);
}

function lower(a: string, b: string): string {
  return a < b ? a : b;
}

/**
 * Brings the threads of a group up to their heads: those in which something was written since it was done last, oldest first, so that
 * nothing is left out where a search ends before.
 * @returns whether it is all there
 */
async function indexThreads(
  dependencies: SearchDependencies,
  groupId: string,
  userId: string,
  budget: Budget,
): Promise<boolean> {
  const { node, groupProgress } = dependencies;
  const known = (await groupProgress.find(groupId)) ?? BEGINNING;
  const after = earlier(known, `${Date.now() - ACTIVITY_LATE_MS}-${"0".repeat(24)}`);
  const asked = { groupId, after, limit: THREADS_PER_SEARCH };
  const { threads } = await node.services.channel.listActiveThreads(asked);
  if (threads.length === 0) return true;
  const channelIds = threads.map(({ channelId }) => channelId);
  const { heads } = await node.services.message.listHeads({ userId, channelIds });
  const isThere = await indexPlaces(dependencies, heads satisfies Place[], budget);
  const { cursor } = threads.at(-1)!;
  // Only then: a process that dies in between does the same again.
  if (isThere && cursor !== known) await groupProgress.set(groupId, cursor);
  return isThere && threads.length < THREADS_PER_SEARCH;
}

function earlier(a: string, b: string): string {
  return Number(a.split("-")[0]) <= Number(b.split("-")[0]) ? a : b;
}

/** Brings the index of channels up to their heads, for so many steps; the rest follows behind. @returns whether it is there */
async function indexPlaces(
  { progress, indexer }: SearchDependencies,
  places: readonly Place[],
  budget: Budget,
): Promise<boolean> {
  const indexed = await progress.find(places.map(({ channelId }) => channelId));
  const behind = places.filter(({ channelId, head }) => indexed.get(channelId)!.rev < head.rev);
  const caughtUp = await boundedMap(behind, INDEX_CONCURRENCY, async ({ channelId }) => {
    while (takeStep(budget)) if (await indexer.step(channelId)) return true;
    indexer.hint(channelId);
    return false;
  });
  return caughtUp.every(Boolean);
}

/** @returns whether there was one left */
function takeStep(budget: Budget): boolean {
  budget.steps -= 1;
  return budget.steps >= 0;
}

/** One step of a channel's index, for `fanfare reindex`. */
export function indexChannel({ indexer }: SearchDependencies): Handler<"search.indexChannel"> {
  return async ({ params: { channelId } }) => ({ isComplete: await indexer.step(channelId) });
}

/** Entries left by a lost event are never shown: their channel or thread is gone. */
export async function removeChannel(
  { entries, progress }: SearchDependencies,
  channelId: string,
): Promise<void> {
  const parentId = (await progress.find([channelId])).get(channelId)?.parentId ?? null;
  const [place, token] = parentId === null ? [channelId, null] : [parentId, threadToken(channelId)];
  while ((await entries.deleteSome(place, token, REMOVALS_PER_BATCH)) === REMOVALS_PER_BATCH);
  await progress.delete(channelId);
}
