import {
  type Services,
  type InboxItem,
  type InboxMarker,
  LIMITS,
  type Message,
  userRoom,
} from "@fanfare/contract";
import {
  ResponseBudget,
  boundedMap,
  chunks,
  type Handlers,
  can,
  type NodeContext,
  responseUsers,
  usersInMessages,
} from "@fanfare/kernel";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import { ownMentionKeys } from "./mentions-and-follows.ts";
import {
  CLOCK_SKEW_SECONDS,
  QUERY_CONCURRENCY,
  MESSAGES_PER_PAGE,
  PAGES_WHILE_HIDDEN,
  UNREAD_COUNT_MAX_BYTES,
} from "./constants.ts";

interface InboxQuery {
  userId: string;
  keys: readonly string[];
  marker: InboxMarker;
  /** Only messages with a lower id. */
  before: string | undefined;
  limit: number;
  /** Omit messages that were read. */
  unreadOnly: boolean;
}

interface InboxPage {
  items: InboxItem[];
  nextCursor: string | null;
}

export interface Place {
  groupId: string | null;
}

const READ: readonly (keyof InboxMarker)[] = ["readUpToId"];
const CLEARED: readonly (keyof InboxMarker)[] = ["readUpToId", "clearedUpToId"];

export function inboxActions(dependencies: InboxDependencies): Handlers {
  const { node, markers } = dependencies;
  return {
    "inbox.list": async ({ params: { cursor, limit, withUsers }, actor: { userId }, services }) => {
      const [marker, keys] = await Promise.all([markers.find(userId), ownMentionKeys(dependencies, userId)]);
      const query = { userId, keys: keys.all, marker, before: cursor, limit, unreadOnly: false };
      const page = await readInbox(node, query);
      const userIds = usersInMessages(page.items.map(({ message }) => message));
      return { ...page, marker, ...(await responseUsers(services, withUsers, userIds)) };
    },

    "inbox.getUnreadCount": async ({ actor: { userId } }) => {
      const [marker, keys] = await Promise.all([markers.find(userId), ownMentionKeys(dependencies, userId)]);
      const limit = LIMITS.mentionsCounted;
      const query = { userId, keys: keys.all, marker, before: undefined, limit, unreadOnly: true };
      return { unread: (await readInbox(node, query)).items.length };
    },

    "inbox.markRead": async ({ params: { messageId }, actor: { userId } }) => ({
      marker: await advanceMarker(dependencies, userId, READ, messageId),
    }),

    "inbox.clear": async ({ params: { messageId }, actor: { userId } }) => ({
      marker: await advanceMarker(dependencies, userId, CLEARED, messageId),
    }),
  };
}

/**
 * Reads a page of an inbox: mentions that the user can see at this moment. Others, mostly in groups that the user has left, are
 * skipped. A page ends when it is full, after `MESSAGES_PER_PAGE`, or when as many bytes were read as a response can contain. While
 * the user can see none of the messages, up to `PAGES_WHILE_HIDDEN` of them are one page.
 */
async function readInbox(node: NodeContext, query: InboxQuery): Promise<InboxPage> {
  const places = new Map<string, Place | null>();
  let page = await readPage(node, query, places);
  const isAllHidden = (): boolean => places.values().every((place) => place === null);
  for (let read = 1; read < PAGES_WHILE_HIDDEN && page.nextCursor !== null && isAllHidden(); read += 1)
    page = await readPage(node, { ...query, before: page.nextCursor }, places);
  return page;
}

/** @param places those known so far; adds others */
async function readPage(
  node: NodeContext,
  query: InboxQuery,
  places: Map<string, Place | null>,
): Promise<InboxPage> {
  const items: InboxItem[] = [];
  const oldest = query.unreadOnly
    ? laterOf(query.marker.clearedUpToId, query.marker.readUpToId)
    : query.marker.clearedUpToId;
  let before = query.before;
  const budget = new ResponseBudget(query.unreadOnly ? UNREAD_COUNT_MAX_BYTES : undefined);
  for (let looked = 0; looked < MESSAGES_PER_PAGE && !budget.isExhausted;) {
    const { messages, hasMore } = await newestMentions(
      node.services,
      query.keys,
      before,
      LIMITS.pageMaxItems,
    );
    const found = budget.takeWhileFits(messages);
    looked += found.length;
    const wanted = found.filter(({ id }) => isAfter(id, oldest));
    const candidates = wanted.filter(({ authorId }) => authorId !== query.userId);
    await lookUpPlaces(node, query.userId, candidates, places);
    const seen = candidates.filter(({ channelId }) => places.get(channelId) !== null);
    for (const item of await present(node.services, query, seen, places)) {
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

/** Adds the channels of the messages; null: the user can't see it. */
export async function lookUpPlaces(
  node: NodeContext,
  userId: string,
  messages: readonly Message[],
  places: Map<string, Place | null>,
): Promise<void> {
  const unknown = [...new Set(messages.map(({ channelId }) => channelId))].filter((id) => !places.has(id));
  await boundedMap(unknown, QUERY_CONCURRENCY, async (channelId) => {
    const access = await node.access.get(userId, { channelId });
    places.set(channelId, can(access, "view") ? { groupId: access.groupId } : null);
  });
}

async function present(
  services: Services,
  { userId, marker }: InboxQuery,
  messages: readonly Message[],
  places: ReadonlyMap<string, Place | null>,
): Promise<InboxItem[]> {
  const channelIds = [...new Set(messages.map(({ channelId }) => channelId))];
  if (channelIds.length === 0) return [];
  const { heads } = await services.message.listHeads({ userId, channelIds });
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

/** The newest messages that mention one of the keys, and whether there can be older ones. */
export async function newestMentions(
  services: Services,
  keys: readonly string[],
  before: string | undefined,
  limit: number,
): Promise<{ messages: Message[]; hasMore: boolean }> {
  const position = before === undefined ? {} : { before };
  const byId = new Map<string, Message>();
  /** Results can be missing below this id. */
  let completeDownTo = "";
  for (const some of chunks(keys, LIMITS.mentionKeysPerLookup)) {
    const { messages, hasMore } = await services.message.listMentions({ keys: some, limit, ...position });
    for (const message of messages) byId.set(message.id, message);
    const oldest = messages.at(-1)?.id;
    if (hasMore && oldest !== undefined && oldest > completeDownTo) completeDownTo = oldest;
  }
  const newest = [...byId.values()]
    .filter(({ id }) => id >= completeDownTo)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  return { messages: newest.slice(0, limit), hasMore: completeDownTo !== "" || newest.length > limit };
}

/** Moves markers forward, at most to the newest message, and notifies the user's sessions of changes. */
export async function advanceMarker(
  { node, markers }: InboxDependencies,
  userId: string,
  names: readonly (keyof InboxMarker)[],
  messageId: string,
): Promise<InboxMarker> {
  const highest = highestIdNow(Date.now());
  const upTo = isAfter(messageId, highest) ? highest : messageId;
  const before = await markers.advance(userId, names, upTo);
  const moved = names.filter((name) => isAfter(upTo, before[name]));
  const marker = { ...before, ...Object.fromEntries(moved.map((name) => [name, upTo])) };
  if (moved.length > 0) node.publish(userRoom(userId), "inbox.updated", { marker });
  return marker;
}

/** Whether a message has a higher id; null counts as lowest. */
export function isAfter(id: string, than: string | null): boolean {
  return than === null || id > than;
}

/** The highest message id possible at this time: an id starts with the second of its creation. */
function highestIdNow(nowMs: number): string {
  const second = Math.floor(nowMs / 1000) + CLOCK_SKEW_SECONDS;
  return second.toString(16).padStart(8, "0") + "f".repeat(16);
}
