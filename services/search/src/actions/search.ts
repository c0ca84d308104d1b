import type { Call, Head, Message, ParsedParams } from "@fanfare/contract";
import { boundedMap, may, serviceError, type Handler, type NodeContext } from "@fanfare/kernel";
import { INDEX_CONCURRENCY, STEPS_PER_SEARCH } from "../bounds.ts";
import { findEntries } from "../find-entries.ts";
import { wantedTokens } from "../message-tokens.ts";
import type { SearchDependencies } from "../search.dependencies.ts";

interface Place {
  channelId: string;
  head: Head;
}

type Search = ParsedParams<"message.search">;

const HIGHEST_ID = "f".repeat(24);

export function search(dependencies: SearchDependencies): Handler<"message.search"> {
  return async ({ params, actor, call }) => {
    const { node, entries } = dependencies;
    const places = await visiblePlaces(node, call, actor.userId, params);
    const isComplete = await indexThese(dependencies, places);
    // The contract sees to it that something is asked for.
    const [first, ...rest] = wantedTokens(params) as [string, ...string[]];
    const { messageIds, nextBelow } = await findEntries(entries, {
      channelIds: places.map(({ channelId }) => channelId),
      tokens: [first, ...rest],
      below: lower(params.cursor ?? HIGHEST_ID, idAfter(params.before)),
      from: idAt(params.after),
      limit: params.limit,
    });
    const messages = await readMessages(dependencies, messageIds, new Set(places.map((p) => p.channelId)));
    return { messages: messages.filter((m) => isInTime(m, params)), nextCursor: nextBelow, isComplete };
  };
}

/** What the searcher sees now: nothing else is looked at. */
async function visiblePlaces(
  node: NodeContext,
  call: Call,
  userId: string,
  { groupId, channelId }: Search,
): Promise<Place[]> {
  if (groupId !== undefined) {
    const { channels } = await call("channel.list", { groupId });
    return channels.map(({ id, head }) => ({ channelId: id, head }));
  }
  const access = await node.access.get(userId, { channelId: channelId! });
  if (!may(access, "view")) throw serviceError("CHANNEL_NOT_FOUND");
  const { heads } = await node.call("message.listHeads", { userId, channelIds: [channelId!] });
  return heads;
}

/** Brings the index up to the heads, for so many steps. @returns whether it is there */
async function indexThese(
  { progress, indexer }: SearchDependencies,
  places: readonly Place[],
): Promise<boolean> {
  const revs = await progress.find(places.map(({ channelId }) => channelId));
  const behind = places.filter(({ channelId, head }) => revs.get(channelId)! < head.rev);
  let left = STEPS_PER_SEARCH;
  const caughtUp = await boundedMap(behind, INDEX_CONCURRENCY, async ({ channelId }) => {
    while (left-- > 0) if (await indexer.step(channelId)) return true;
    indexer.hint(channelId);
    return false;
  });
  return caughtUp.every(Boolean);
}

async function readMessages(
  { node, entries }: SearchDependencies,
  messageIds: readonly string[],
  channelIds: ReadonlySet<string>,
): Promise<Message[]> {
  if (messageIds.length === 0) return [];
  const { messages } = await node.call("message.getMany", { messageIds: [...messageIds] });
  const byId = new Map(messages.map((message) => [message.id, message]));
  const gone = messageIds.filter((id) => !byId.has(id));
  if (gone.length > 0) await entries.delete(gone);
  return messageIds
    .flatMap((id) => byId.get(id) ?? [])
    .filter((message) => channelIds.has(message.channelId));
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
