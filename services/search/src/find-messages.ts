import {
  type Services,
  type Channel,
  type Head,
  LIMITS,
  listChannels,
  type Message,
  type MessageContext,
  type ParsedParams,
  type Result,
} from "@fanfare/contract";
import {
  boundedMap,
  callOf,
  chunks,
  type Handler,
  can,
  type NodeContext,
  responseUsers,
  serviceError,
  usersInMessages,
} from "@fanfare/kernel";
import {
  CALL_CONCURRENCY,
  CHANGE_LAG_MS,
  CHANNELS_PER_ROUND,
  IDLE_PROGRESS_MS,
  INDEX_CONCURRENCY,
  RECENT_MS,
  REMOVALS_PER_BATCH,
  STEPS_PER_SEARCH,
  THREADS_PER_SEARCH,
} from "./constants.ts";
import type { SearchEntries } from "./entries.ts";
import type { Indexer } from "./indexer.ts";
import { messageTokens, threadToken, wantedWords, matches, queryWords, type SearchWord } from "./tokenize.ts";
import type { GroupProgressRepository, ProgressRepository } from "./progress.repository.ts";

/** What the actions of this service need. */
export interface SearchDependencies {
  node: NodeContext;
  entries: SearchEntries;
  progress: ProgressRepository;
  groupProgress: GroupProgressRepository;
  indexer: Indexer;
}

interface Place {
  channelId: string;
  head: Head;
}

/** Remaining steps of indexing that a search waits for. */
interface Budget {
  steps: number;
}

const BEGINNING = cursorAt(0);

type Search = ParsedParams<"message.search">;

interface Where {
  /** Channels to index before searching. */
  places: readonly Place[];
  /** Channels whose entries are searched. */
  channelIds: readonly string[];
  /** Search only this thread; null: everything in the channels. */
  threadId: string | null;
  /** Groups whose threads are searched too. */
  groupIds: readonly string[];
}

const HIGHEST_ID = "f".repeat(24);

export function search(dependencies: SearchDependencies): Handler<"message.search"> {
  return async ({ params, actor: { userId }, services }) => {
    const { node, entries } = dependencies;
    const where = await visiblePlaces(node, services, userId, params);
    const budget = { steps: STEPS_PER_SEARCH };
    const behind = await indexPlaces(dependencies, where.places, budget);
    const areThreadsThere = await indexThreads(dependencies, where.groupIds, budget);
    // The contract guarantees a search condition.
    const words = wantedWords(params, where.threadId) as [SearchWord, ...SearchWord[]];
    const { messageIds, nextBelow } = await entries.find({
      channelIds: where.channelIds,
      words,
      below: lower(params.cursor ?? HIGHEST_ID, idAfter(params.before)),
      from: idAt(params.after),
      limit: params.limit,
    });
    const found = await readMessages(dependencies, messageIds, new Set(where.channelIds));
    const messages = found.messages.filter((message) => isInTime(message, params));
    const context = params.withContext === true ? await contextOf(node, messages) : undefined;
    const neighbors = context?.flatMap(({ before, after }) => [before, after].filter((one) => one !== null));
    return {
      messages,
      ...(context !== undefined && { context }),
      threads: found.threads,
      nextCursor: found.nextCursor ?? nextBelow,
      isComplete: behind.size === 0 && areThreadsThere,
      ...(await responseUsers(
        services,
        params.withUsers,
        usersInMessages([...messages, ...(neighbors ?? [])]),
      )),
    };
  };
}

/** Only what the caller can currently see is searched. */
async function visiblePlaces(
  node: NodeContext,
  services: Services,
  userId: string,
  { groupId, channelId }: Search,
): Promise<Where> {
  if (channelId !== undefined) return placeOfChannel(node, userId, channelId);
  if (groupId === undefined) return placesOfUser(node, userId);
  const channels = await listChannels(callOf(services), groupId);
  const places = channels.map(({ id, head }) => ({ channelId: id, head }));
  return { places, channelIds: channels.map(({ id }) => id), threadId: null, groupIds: [groupId] };
}

async function placeOfChannel(node: NodeContext, userId: string, channelId: string): Promise<Where> {
  const access = await node.access.get(userId, { channelId });
  if (!can(access, "view")) throw serviceError("CHANNEL_NOT_FOUND");
  const [places, { channels }] = await Promise.all([
    listHeads(node, userId, [channelId]),
    access.groupId === null
      ? { channels: [] }
      : node.services.channel.findThreads({ channelIds: [channelId] }),
  ]);
  const parentId = channels[0]?.parentId;
  const groupIds = access.groupId === null ? [] : [access.groupId];
  return parentId == null
    ? { places, channelIds: [channelId], threadId: null, groupIds }
    : { places, channelIds: [parentId], threadId: channelId, groupIds: [] };
}

/** Everything that the user can see in groups, and their direct messages. */
async function placesOfUser(node: NodeContext, userId: string): Promise<Where> {
  const channelIds: string[] = [];
  const groupIds = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: Result<"group.listUserChannels"> = await node.services.group.listUserChannels({
      userId,
      cursor,
    });
    for (const { channelId, groupId } of page.channels) {
      channelIds.push(channelId);
      if (groupId !== null) groupIds.add(groupId);
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return {
    places: await listHeads(node, userId, channelIds),
    channelIds,
    threadId: null,
    groupIds: [...groupIds],
  };
}

async function listHeads(node: NodeContext, userId: string, channelIds: readonly string[]): Promise<Place[]> {
  const parts = await boundedMap(chunks(channelIds, LIMITS.channelsPerGroup), CALL_CONCURRENCY, (some) =>
    node.services.message.listHeads({ userId, channelIds: some }),
  );
  return parts.flatMap(({ heads }) => heads);
}

/** @returns `nextCursor`: the last message that fit into the response, if others didn't */
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

/** In the channels of messages that the caller sees, and the whole of a channel is visible. */
async function contextOf(node: NodeContext, messages: readonly Message[]): Promise<MessageContext[]> {
  if (messages.length === 0) return [];
  const places = messages.map(({ id: messageId, channelId, seq }) => ({ messageId, channelId, seq }));
  return (await node.services.message.listContext({ messages: places })).context;
}

/** Existing threads whose parent the caller can see. */
async function seenThreads(
  node: NodeContext,
  threadIds: string[],
  channelIds: ReadonlySet<string>,
): Promise<Channel[]> {
  const { channels } = await node.services.channel.findThreads({ channelIds: threadIds });
  return channels.filter(({ parentId }) => parentId !== null && channelIds.has(parentId));
}

/** Exact check, because ids only contain the second. */
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
 * Indexes the threads of groups up to their heads: those changed since the last time, oldest change first, so that nothing is
 * missed if a search ends early.
 * @returns whether everything is indexed
 */
async function indexThreads(
  dependencies: SearchDependencies,
  groupIds: readonly string[],
  budget: Budget,
): Promise<boolean> {
  const known = await dependencies.groupProgress.find(groupIds);
  const recently = Date.now() - RECENT_MS;
  const since = groupIds.map((groupId) => ({ groupId, known: known.get(groupId) ?? BEGINNING }));
  const recent = since.filter((group) => timeOf(group.known) >= recently);
  const others = since.filter((group) => timeOf(group.known) < recently);
  const parts = [...(recent.length === 0 ? [] : [recent]), ...others.map((group) => [group])];
  let isThere = true;
  for (const part of parts) {
    // The next search continues with the remaining groups.
    if (budget.steps < 0) return false;
    const isPartThere = await indexThreadsSince(dependencies, part, budget);
    isThere &&= isPartThere;
  }
  return isThere;
}

interface GroupProgress {
  groupId: string;
  /** The cursor up to which the threads are indexed. */
  known: string;
}

async function indexThreadsSince(
  dependencies: SearchDependencies,
  groups: readonly GroupProgress[],
  budget: Budget,
): Promise<boolean> {
  const { node, groupProgress } = dependencies;
  const lately = cursorAt(Date.now() - CHANGE_LAG_MS);
  const { threads } = await node.services.message.listChangedThreads({
    groups: groups.map(({ groupId, known }) => ({ groupId, after: earlier(known, lately) })),
    limit: THREADS_PER_SEARCH,
  });
  const behind = await indexPlaces(dependencies, threads, budget);
  const byGroup = Map.groupBy(threads, ({ groupId }) => groupId);
  const isAll = threads.length < THREADS_PER_SEARCH;
  for (const { groupId, known } of groups) {
    const changed = byGroup.get(groupId) ?? [];
    if (changed.some(({ channelId }) => behind.has(channelId))) continue;
    const isIdle = isAll && timeOf(known) < timeOf(lately) - IDLE_PROGRESS_MS;
    const upTo = changed.at(-1)?.cursor ?? (isIdle ? lately : known);
    // Stored last: if the process dies before, the same is done again.
    if (upTo !== known) await groupProgress.set(groupId, upTo);
  }
  return isAll && behind.size === 0;
}

function cursorAt(ms: number): string {
  return `${ms}-${"0".repeat(24)}`;
}

function timeOf(cursor: string): number {
  return Number(cursor.split("-")[0]);
}

function earlier(a: string, b: string): string {
  return timeOf(a) <= timeOf(b) ? a : b;
}

/**
 * Indexes channels up to their heads within the budget; the rest is done in the background.
 * @returns the channels that are not up to date
 */
async function indexPlaces(
  { progress, indexer }: SearchDependencies,
  places: readonly Place[],
  budget: Budget,
): Promise<ReadonlySet<string>> {
  const indexed = await progress.find(places.map(({ channelId }) => channelId));
  const behind = places.filter(({ channelId, head }) => indexed.get(channelId)!.rev < head.rev);
  const rounds = chunks(
    behind.map(({ channelId }) => channelId),
    CHANNELS_PER_ROUND,
  );
  const left = await boundedMap(rounds, INDEX_CONCURRENCY, async (channelIds) => {
    let rest = channelIds;
    while (rest.length > 0 && takeStep(budget)) {
      const done = await indexer.step(rest);
      rest = rest.filter((channelId) => !done.has(channelId));
    }
    for (const channelId of rest) indexer.hint(channelId);
    return rest;
  });
  return new Set(left.flat());
}

/** @returns whether a step was left */
function takeStep(budget: Budget): boolean {
  budget.steps -= 1;
  return budget.steps >= 0;
}

/** Reads the messages themselves, because the index of their channels can be behind. */
export function filterMessages({ node }: SearchDependencies): Handler<"search.filterMessages"> {
  return async ({ params: { messageIds, text } }) => {
    const words = queryWords(text);
    const found: string[] = [];
    for (let rest = words.length === 0 ? [] : messageIds; rest.length > 0;) {
      const { messages, stoppedAt } = await node.services.message.getMany({ messageIds: rest });
      for (const message of messages) {
        const tokens = messageTokens(message, false);
        if (words.every((word) => matches(word, tokens))) found.push(message.id);
      }
      rest = stoppedAt === null ? [] : rest.filter((id) => id <= stoppedAt);
    }
    return { messageIds: found };
  };
}

/** One indexing step of a channel, for `fanfare reindex`. */
export function indexChannel({ indexer }: SearchDependencies): Handler<"search.indexChannel"> {
  return async ({ params: { channelId } }) => ({
    isComplete: (await indexer.step([channelId])).has(channelId),
  });
}

/** Entries left by a lost event are never shown, because their channel or thread doesn't exist. */
export async function removeChannel(
  { entries, progress }: SearchDependencies,
  channelId: string,
): Promise<void> {
  const parentId = (await progress.find([channelId])).get(channelId)?.parentId ?? null;
  const [place, token] = parentId === null ? [channelId, null] : [parentId, threadToken(channelId)];
  while ((await entries.deleteSome(place, token, REMOVALS_PER_BATCH)) === REMOVALS_PER_BATCH);
  await progress.delete(channelId);
}
