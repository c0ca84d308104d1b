import { LIMITS, type Call, type InboxItem, type InboxMarker, type Message } from "@fanfare/contract";
import { AnswerBudget, boundedMap, may, type NodeContext } from "@fanfare/kernel";
import { CONCURRENCY, MESSAGES_PER_PAGE, UNREAD_COUNT_MAX_BYTES } from "./bounds.ts";
import { isAfter } from "./message-ids.ts";
import { newestMentions } from "./newest-mentions.ts";

export interface InboxQuery {
  userId: string;
  keys: readonly string[];
  marker: InboxMarker;
  /** Only messages with a lower id. */
  before: string | undefined;
  limit: number;
  /** Nothing older than what was read is asked for. */
  unreadOnly: boolean;
}

export interface InboxPage {
  items: InboxItem[];
  nextCursor: string | null;
}

interface Place {
  groupId: string | null;
}

/**
 * A page of an inbox: the mentions of the log, as far as the user sees them now. Those that are not seen any more, mostly in groups
 * that were left, are passed over; a page ends when it is full, when it has looked at `MESSAGES_PER_PAGE`, or when it has read as many bytes
 * as an answer can have.
 */
export async function readInbox(node: NodeContext, query: InboxQuery): Promise<InboxPage> {
  const places = new Map<string, Place | null>();
  const items: InboxItem[] = [];
  const oldest = query.unreadOnly
    ? laterOf(query.marker.clearedUpToId, query.marker.readUpToId)
    : query.marker.clearedUpToId;
  let before = query.before;
  const budget = new AnswerBudget(query.unreadOnly ? UNREAD_COUNT_MAX_BYTES : undefined);
  for (let looked = 0; looked < MESSAGES_PER_PAGE && !budget.isUsedUp;) {
    const { messages, hasMore } = await newestMentions(node.call, query.keys, before, LIMITS.pageMaxItems);
    const found = budget.cut(messages);
    looked += found.length;
    const wanted = found.filter(({ id }) => isAfter(id, oldest));
    const candidates = wanted.filter(({ authorId }) => authorId !== query.userId);
    await lookUpPlaces(node, query.userId, candidates, places);
    const seen = candidates.filter(({ channelId }) => places.get(channelId) !== null);
    for (const item of await present(node.call, query, seen, places)) {
      if (query.unreadOnly && !item.unread) continue;
      items.push(item);
      if (items.length === query.limit) return { items, nextCursor: item.message.id };
    }
    const isLast = !hasMore && found.length === messages.length;
    if (isLast || wanted.length < found.length) return { items, nextCursor: null };
    before = found.at(-1)?.id ?? before;
  }
  return { items, nextCursor: before ?? null };
}

async function lookUpPlaces(
  node: NodeContext,
  userId: string,
  messages: readonly Message[],
  places: Map<string, Place | null>,
): Promise<void> {
  const unknown = [...new Set(messages.map(({ channelId }) => channelId))].filter((id) => !places.has(id));
  await boundedMap(unknown, CONCURRENCY, async (channelId) => {
    const access = await node.access.get(userId, { channelId });
    places.set(channelId, may(access, "view") ? { groupId: access.groupId } : null);
  });
}

async function present(
  call: Call,
  { userId, marker }: InboxQuery,
  messages: readonly Message[],
  places: ReadonlyMap<string, Place | null>,
): Promise<InboxItem[]> {
  const channelIds = [...new Set(messages.map(({ channelId }) => channelId))];
  if (channelIds.length === 0) return [];
  const { heads } = await call("message.listHeads", { userId, channelIds });
  const read = new Map(heads.map(({ channelId, lastReadSeq }) => [channelId, lastReadSeq]));
  return messages.map((message) => ({
    message,
    groupId: places.get(message.channelId)!.groupId,
    unread: isAfter(message.id, marker.readUpToId) && message.seq > read.get(message.channelId)!,
  }));
}

function laterOf(a: string | null, b: string | null): string | null {
  return isAfter(b ?? "", a) ? b : a;
}
