import { LIMITS, type Message, userRoom } from "@fanfare/contract";
import {
  ResponseBudget,
  boundedMap,
  can,
  chunks,
  type Handlers,
  type Request,
  orThrow,
  responseUsers,
  usersInMessages,
} from "@fanfare/kernel";
import { presentExcerpt, presentMessage, takeInto } from "./message.presenter.ts";
import type { Mentioned, MessageRepository } from "./message.repository.ts";
import type { MessageDependencies } from "./message.dependencies.ts";
import { CHANNELS_PER_COUNT, NEIGHBOR_REACH, QUERY_CONCURRENCY } from "./constants.ts";
import { documentId } from "./message.model.ts";

interface Page {
  messages: Message[];
  hasMore: boolean;
}

const MAX = LIMITS.mentionsCounted;

export const readActions = ({ messages, heads, markers, node }: MessageDependencies): Handlers => ({
  "message.list": async ({ params, services }) => {
    // The head is read before the page, so that the page contains every change up to it.
    const head = await messages.head(params.channelId);
    const { atTime } = params;
    const around =
      atTime === undefined ? params.around : await seqAt(messages, params.channelId, head.seq, atTime);
    const page = await readPage(messages, { ...params, around });
    const users = await responseUsers(services, params.withUsers, usersInMessages(page.messages));
    return { ...page, head, ...users };
  },

  "message.get": async ({ params: { channelId, messageId, withUsers }, services }) => {
    const message = presentMessage(orThrow(await messages.find(channelId, messageId), "MESSAGE_NOT_FOUND"));
    return { message, ...(await responseUsers(services, withUsers, usersInMessages([message]))) };
  },

  "message.count": async () => ({ messages: await messages.estimateCount() }),

  "message.countBetween": async ({ params: { from, before } }) => ({
    messages: await messages.countBetween(new Date(from), new Date(before)),
  }),

  "message.listReaders": async ({ params: { channelId, messageId } }) => {
    const message = orThrow(await messages.find(channelId, messageId), "MESSAGE_NOT_FOUND");
    const of = { channelId, seq: message.seq, exceptId: message.authorId.toHexString() };
    const readerIds = await markers.listReaders(of, LIMITS.readersCounted);
    const some = readerIds.slice(0, LIMITS.pageMaxItems);
    const seeing = await boundedMap(some, QUERY_CONCURRENCY, async (userId) =>
      can(await node.access.get(userId, { channelId }), "view") ? [userId] : [],
    );
    const userIds = seeing.flat();
    return { userIds, count: readerIds.length > some.length ? readerIds.length : userIds.length };
  },

  "message.listHeads": async ({ params: { userId, channelIds } }) => {
    if (channelIds.length === 0) return { heads: [] };
    const [found, read] = await Promise.all([
      heads.findMany(channelIds),
      markers.findMany(userId, channelIds),
    ]);
    const byChannel = new Map(found.map(({ _id, seq, rev }) => [_id, { seq, rev }]));
    // Messages removed by retention don't count as unread.
    const removed = new Map(found.map(({ _id, retainedFrom = 1 }) => [_id, retainedFrom - 1]));
    return {
      heads: channelIds.map((channelId) => ({
        channelId,
        head: byChannel.get(channelId) ?? { seq: 0, rev: 0 },
        lastReadSeq: Math.max(read.get(channelId) ?? 0, removed.get(channelId) ?? 0),
      })),
    };
  },

  "message.listChangedThreads": async ({ params: { groups, limit } }) => {
    const since = groups.map(({ groupId, after }) => {
      const [ms, channelId] = after.split("-") as [string, string];
      return { groupId, after: { changedAt: new Date(Number(ms)), channelId } };
    });
    const found = await heads.listChangedThreads(since, limit);
    return {
      threads: found.map(({ _id, threadOf, changedAt, seq, rev }) => ({
        groupId: threadOf,
        channelId: _id,
        head: { seq, rev },
        cursor: `${changedAt.getTime()}-${_id}`,
      })),
    };
  },

  "channel.markRead": async ({ params, actor }) => {
    const { channelId } = params;
    const head = await heads.find(channelId);
    const seq = Math.min(params.seq, head?.seq ?? 0);
    if (seq === 0) {
      const known = await markers.findMany(actor.userId, [channelId]);
      return { lastReadSeq: known.get(channelId) ?? 0 };
    }
    const before = await markers.advance(actor.userId, channelId, seq);
    if (before >= seq) return { lastReadSeq: before };
    node.publish(userRoom(actor.userId), "readMarker.updated", { channelId, lastReadSeq: seq });
    return { lastReadSeq: seq };
  },

  "channel.markUnread": async ({ params: { channelId, seq }, actor: { userId } }) => {
    const lastReadSeq = seq - 1;
    const before = await markers.moveBack(userId, channelId, lastReadSeq);
    if (before <= lastReadSeq) return { lastReadSeq: before };
    node.publish(userRoom(userId), "readMarker.lowered", { channelId, lastReadSeq });
    return { lastReadSeq };
  },

  /** Queries ids per key, because the index is sorted within one key only; then reads the selected messages. */
  "message.listMentions": async ({ params: { keys, before, limit } }) => {
    const found = await boundedMap([...new Set(keys)], QUERY_CONCURRENCY, (key) =>
      messages.idsMentioning(key, before, limit),
    );
    const newest = [...new Set(found.flat())].sort((a, b) => (a < b ? 1 : -1)).slice(0, limit);
    if (newest.length === 0) return { messages: [], hasMore: false };
    const page: Message[] = [];
    const end = await messages.scanMany(newest, takeInto(page, new ResponseBudget()));
    return { messages: page, hasMore: newest.length === limit || end === "refused" };
  },

  "message.getMany": async ({ params: { messageIds } }) => {
    const page: Message[] = [];
    const take = takeInto(page, new ResponseBudget());
    let stoppedAt: string | null = null;
    await messages.scanMany(messageIds, (message) => {
      if (message.deletedAt !== null || take(message)) return true;
      stoppedAt = documentId(message);
      return false;
    });
    return { messages: page, stoppedAt };
  },

  "message.listContext": async ({ params: { messages: asked } }) => {
    const seqs = new Map<string, number[]>();
    for (const [channelId, some] of Map.groupBy(asked, (one) => one.channelId))
      seqs.set(channelId, [...new Set(some.flatMap(({ seq }) => seqsAround(seq)))]);
    const found = (await messages.excerptsAt(seqs)).map(presentExcerpt).sort((a, b) => a.seq - b.seq);
    const byChannel = Map.groupBy(found, ({ channelId }) => channelId);
    return {
      context: asked.map(({ messageId, channelId, seq }) => {
        const near = byChannel.get(channelId)?.filter((one) => Math.abs(one.seq - seq) <= NEIGHBOR_REACH);
        return {
          messageId,
          before: near?.findLast((one) => one.seq < seq) ?? null,
          after: near?.find((one) => one.seq > seq) ?? null,
        };
      }),
    };
  },

  "message.listChanges": async ({ params: { channelId, afterRev, limit } }) => {
    const changed = await messages.changedSince(channelId, afterRev, limit);
    return { messages: changed.map(presentMessage) };
  },

  /** One query for many channels, because nearly all of them have few mentions. */
  "message.countMentions": async ({ params: { userId, channels } }) => {
    const counts = await boundedMap(chunks(channels, CHANNELS_PER_COUNT), QUERY_CONCURRENCY, (some) =>
      countIn(messages, userId, some),
    );
    return { counts: counts.flat() };
  },

  "message.findSent": async ({ params: { channelId, authorId, nonce } }) => {
    const found = await messages.findByNonce(channelId, authorId, nonce, true);
    return { attachments: found?.attachments ?? [] };
  },
});

function seqsAround(seq: number): number[] {
  return Array.from({ length: NEIGHBOR_REACH }, (_, index) => [seq - index - 1, seq + index + 1]).flat();
}

/**
 * The first message at or after a time, found by binary search: seq and time grow together. Only imports add older messages after
 * newer ones, so in their channels it can be another message.
 */
async function seqAt(
  messages: Pick<MessageRepository, "from">,
  channelId: string,
  newest: number,
  time: string,
): Promise<number> {
  const wanted = new Date(time);
  let low = 1;
  let high = newest + 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    const [message] = await messages.from(channelId, middle, 1);
    // Removed messages leave gaps.
    if (message === undefined || message.createdAt >= wanted) high = middle;
    else low = message.seq + 1;
  }
  return low;
}

async function readPage(
  messages: MessageRepository,
  { channelId, before, after, around, limit }: Omit<Request<"message.list">["params"], "atTime">,
): Promise<Page> {
  const older = (beforeSeq: number, count: number, budget: ResponseBudget) =>
    readOlder(messages, channelId, beforeSeq, count, budget);
  const newer = (fromSeq: number, count: number, budget: ResponseBudget) =>
    readNewer(messages, channelId, fromSeq, count, budget);
  if (after !== undefined) return newer(after + 1, limit, new ResponseBudget());
  if (around === undefined) return older(before ?? Number.MAX_SAFE_INTEGER, limit, new ResponseBudget());

  // Each side gets half of the page and of its bytes; if one side ends early, the other fills the page.
  const ofOlder = new ResponseBudget(LIMITS.answerMaxBytes / 2);
  const ofNewer = new ResponseBudget(LIMITS.answerMaxBytes / 2);
  const [olderHalf, newerHalf] = await Promise.all([
    older(around, Math.floor(limit / 2), ofOlder),
    newer(around, Math.ceil(limit / 2), ofNewer),
  ]);
  const found = [...olderHalf.messages, ...newerHalf.messages];
  const missing = limit - found.length;
  if (missing > 0 && olderHalf.hasMore && !newerHalf.hasMore) {
    const rest = await older(olderHalf.messages[0]?.seq ?? around, missing, ofOlder);
    return { messages: [...rest.messages, ...found], hasMore: rest.hasMore };
  }
  if (missing > 0 && newerHalf.hasMore && !olderHalf.hasMore) {
    const rest = await newer(newerHalf.messages.at(-1)!.seq + 1, missing, ofNewer);
    return { messages: [...found, ...rest.messages], hasMore: rest.hasMore };
  }
  return { messages: found, hasMore: olderHalf.hasMore || newerHalf.hasMore };
}

/** The `limit` messages closest below a seq, in order of seq. */
async function readOlder(
  messages: MessageRepository,
  channelId: string,
  beforeSeq: number,
  limit: number,
  budget: ResponseBudget,
): Promise<Page> {
  const page: Message[] = [];
  if (limit === 0) return { messages: page, hasMore: true };
  const end = await messages.scanBefore(channelId, beforeSeq, limit, takeInto(page, budget));
  return { messages: page.toReversed(), hasMore: end !== "end" };
}

/** Up to `limit` messages from a seq, in order of seq. */
async function readNewer(
  messages: MessageRepository,
  channelId: string,
  fromSeq: number,
  limit: number,
  budget: ResponseBudget,
): Promise<Page> {
  const page: Message[] = [];
  const end = await messages.scanFrom(channelId, fromSeq, limit, takeInto(page, budget));
  return { messages: page, hasMore: end !== "end" };
}

async function countIn(
  messages: MessageRepository,
  userId: string,
  channels: readonly Mentioned[],
): Promise<number[]> {
  const limit = MAX * channels.length;
  const found = await messages.mentionedIn(channels, userId, limit);
  if (found.length === limit && channels.length > 1) {
    // The mentions of one channel may have used up the limit.
    return (await boundedMap(channels, QUERY_CONCURRENCY, (one) => countIn(messages, userId, [one]))).flat();
  }
  const byChannel = Map.groupBy(found, (channelId) => channelId);
  return channels.map(({ channelId }) => Math.min(byChannel.get(channelId)?.length ?? 0, MAX));
}
