import type { ChannelSync, EventPayload, Head, Message, Result } from "@fanfare/contract";
import { insertMessages, messageAt, newest } from "./message-list.ts";

/**
 * A client's copy of one channel: the messages from `fromSeq` on, and the state to prove that they are exact.
 *
 * Every change of a channel has a number, `rev`, without gaps; a message carries the number of its last change. All changes
 * up to `rev` are in the copy; changes in `ahead` arrived before others that are still missing.
 */
export interface ChannelCopy {
  readonly channelId: string;
  readonly status: "loading" | "ready" | "gone";
  /** Ordered by seq; deleted messages stay, without their text. */
  readonly messages: readonly Message[];
  /** The oldest seq in the copy; 0 if it reaches back to the first message. */
  readonly fromSeq: number;
  /** The newest known numbers. */
  readonly head: Head;
  readonly rev: number;
  readonly revsAhead: ReadonlySet<number>;
  /** The newest change that could have been dropped because its message is older than `fromSeq`. */
  readonly droppedRev: number;
  /** Counts possible losses of events; a sync or page requested afterwards settles them. */
  readonly invalidations: number;
  readonly settledInvalidations: number;
  /** The newest page must be reloaded: too much was missed, or the server's data was restored from a backup. */
  readonly needsPage: boolean;
}

export type MessagePage = Result<"message.list">;

export type ReactionChange = EventPayload<"reaction.changed">;

export type ChannelChange =
  /** Messages from events or results, in any order, possibly repeated. */
  | { type: "messages"; messages: readonly Message[] }
  | { type: "reactions"; change: ReactionChange }
  /** Events may have been lost. */
  | { type: "invalidate" }
  /** The newest page. `invalidations` is the copy's value at the time of the request. */
  | { type: "newestPage"; page: MessagePage; invalidations: number }
  /** The page before `before`, the copy's `fromSeq` at the time of the request. */
  | { type: "olderPage"; page: MessagePage; before: number }
  /** A result of `channel.sync`. `asked` is the copy at the time of the request. */
  | { type: "synced"; answer: ChannelSync; asked: ChannelCopy }
  | { type: "gone" };

/** The end of a copy as a page, to be stored and continued later with `channel.sync`. */
export interface SavedChannel extends MessagePage {
  channelId: string;
}

/** Maximum number of messages in a copy; the oldest are dropped first. */
export const MAX_MESSAGES = 5000;
/** Maximum number of changes buffered out of order or while the first page loads; beyond it, the copy syncs. */
export const MAX_BUFFERED = 1000;

export function newChannelCopy(channelId: string): ChannelCopy {
  return {
    channelId,
    status: "loading",
    messages: [],
    fromSeq: 0,
    head: { seq: 0, rev: 0 },
    rev: 0,
    revsAhead: new Set(),
    droppedRev: 0,
    invalidations: 0,
    settledInvalidations: 0,
    needsPage: true,
  };
}

/** The copy after a change. Pure: it does not modify the old copy. */
export function reduceChannel(copy: ChannelCopy, change: ChannelChange): ChannelCopy {
  if (copy.status === "gone" && change.type !== "newestPage") return copy;
  switch (change.type) {
    case "messages":
      return copy.status === "loading" ? bufferMessages(copy, change.messages) : apply(copy, change.messages);
    case "reactions":
      return applyReactions(copy, change.change);
    case "invalidate":
      return { ...copy, invalidations: copy.invalidations + 1 };
    case "newestPage":
      return applyNewestPage(copy, change);
    case "olderPage":
      return applyOlderPage(copy, change);
    case "synced":
      return applySync(copy, change);
    case "gone":
      return { ...newChannelCopy(copy.channelId), status: "gone", needsPage: false };
  }
}

/**
 * The `afterRev` for `channel.sync`, or undefined if nothing is known to be missing. The message of the last change is requested
 * again: if the server has no such message, its data was restored from a backup, and other changes have the same numbers.
 */
export function syncCursor(copy: ChannelCopy): number | undefined {
  if (copy.status !== "ready" || copy.needsPage) return undefined;
  const behind = copy.invalidations > copy.settledInvalidations || copy.rev < copy.head.rev;
  if (!behind) return undefined;
  return lastChanged(copy) === undefined ? copy.rev : copy.rev - 1;
}

/** The message of the change `rev`; undefined if it is older than `fromSeq`. */
function lastChanged({ messages, rev }: ChannelCopy): Message | undefined {
  return messages.findLast((message) => message.rev === rev);
}

/** The newest messages of a copy; undefined while it is loading or gone. */
export function saveCopy(copy: ChannelCopy, maxMessages: number): SavedChannel | undefined {
  if (copy.status !== "ready") return undefined;
  const { channelId, fromSeq, head, rev } = copy;
  const messages = copy.messages.slice(-maxMessages);
  const hasMore = fromSeq > 0 || messages.length < copy.messages.length;
  return { channelId, messages, hasMore, head: { ...head, rev } };
}

/** Buffers messages until the first page is loaded, which they are then merged with. */
function bufferMessages(copy: ChannelCopy, messages: readonly Message[]): ChannelCopy {
  const buffered = insertMessages(copy.messages, messages);
  const head = advanceHead(copy.head, messages);
  return buffered.length > MAX_BUFFERED
    ? { ...copy, messages: [], head }
    : { ...copy, messages: buffered, head };
}

function apply(copy: ChannelCopy, messages: readonly Message[]): ChannelCopy {
  const revsAhead = new Set(copy.revsAhead);
  const kept: Message[] = [];
  let { droppedRev } = copy;
  for (const message of messages) {
    if (message.rev > copy.rev) revsAhead.add(message.rev);
    if (message.seq >= copy.fromSeq) kept.push(message);
    else droppedRev = Math.max(droppedRev, message.rev);
  }
  const head = advanceHead(copy.head, messages);
  return settle({ ...copy, head, droppedRev, revsAhead, messages: insertMessages(copy.messages, kept) });
}

/**
 * Reactions apply only to the version of the message with `afterRev`. For any other version they only show that a change is
 * missing, which is then synced.
 */
function applyReactions(copy: ChannelCopy, change: ReactionChange): ChannelCopy {
  const { seq, rev, afterRev, reactions } = change;
  const head = newest(copy.head, { seq, rev });
  if (copy.status === "ready" && seq < copy.fromSeq) {
    const droppedRev = Math.max(copy.droppedRev, rev);
    return settle({ ...copy, head, droppedRev, revsAhead: withRev(copy, rev) });
  }
  const existing = messageAt(copy.messages, seq);
  if (existing === undefined || existing.rev < afterRev) return { ...copy, head };
  const { reactions: _before, ...rest } = existing;
  const message = { ...rest, rev, ...(reactions.length > 0 && { reactions }) };
  // A newer version wins.
  const messages = insertMessages(copy.messages, [message]);
  return settle({ ...copy, head, messages, revsAhead: withRev(copy, rev) });
}

function withRev({ rev, revsAhead }: ChannelCopy, number: number): ReadonlySet<number> {
  return number > rev ? new Set(revsAhead).add(number) : revsAhead;
}

function applyNewestPage(
  copy: ChannelCopy,
  { page, invalidations }: Extract<ChannelChange, { type: "newestPage" }>,
): ChannelCopy {
  const fromSeq = startOf(page);
  // Messages from events are kept if they are newer than the page.
  const existing = copy.messages.filter(({ seq, rev }) => seq >= fromSeq && rev > page.head.rev);
  const messages = insertMessages(existing, page.messages);
  return settle({
    ...copy,
    status: "ready",
    messages,
    fromSeq,
    head: advanceHead(newest(copy.head, page.head), messages),
    // The page includes all changes up to this rev; each newer message includes its own.
    rev: page.head.rev,
    revsAhead: new Set(messages.map((message) => message.rev)),
    droppedRev: Math.max(copy.droppedRev, page.head.rev),
    settledInvalidations: Math.max(copy.settledInvalidations, invalidations),
    needsPage: false,
  });
}

function applyOlderPage(
  copy: ChannelCopy,
  { page, before }: Extract<ChannelChange, { type: "olderPage" }>,
): ChannelCopy {
  if (copy.status !== "ready" || before !== copy.fromSeq) return copy;
  const extended = { ...copy, fromSeq: startOf(page), head: newest(copy.head, page.head) };
  if (copy.droppedRev <= page.head.rev) return apply(extended, page.messages);
  // A change of these messages could have been dropped after the page was read, so everything since is synced again.
  return apply({ ...extended, rev: Math.min(copy.rev, page.head.rev), revsAhead: new Set() }, page.messages);
}

function applySync(
  copy: ChannelCopy,
  { answer, asked }: Extract<ChannelChange, { type: "synced" }>,
): ChannelCopy {
  if (answer.status === "gone") return reduceChannel(copy, { type: "gone" });
  if (copy.status !== "ready") return copy;
  const { head, messages } = answer;
  if (answer.status === "resync" && head.rev >= asked.rev) return { ...copy, needsPage: true };
  const last = lastChanged(asked);
  // The server's history is another one: its data was restored from a backup. Start again.
  if (head.rev < asked.rev || (last !== undefined && !messages.some(({ id }) => id === last.id)))
    return { ...newChannelCopy(copy.channelId), invalidations: copy.invalidations };

  const applied = apply(copy, messages);
  return settle({
    ...applied,
    head: newest(applied.head, head),
    settledInvalidations: Math.max(copy.settledInvalidations, asked.invalidations),
    rev: asked.rev > applied.rev ? applied.rev : Math.max(applied.rev, head.rev),
  });
}

/** Advances `rev` over contiguous changes, and enforces the limits. */
function settle(copy: ChannelCopy): ChannelCopy {
  let { rev, messages, fromSeq } = copy;
  while (copy.revsAhead.has(rev + 1)) rev++;
  const revsAhead = [...copy.revsAhead].filter((number) => number > rev).slice(0, MAX_BUFFERED);
  if (messages.length > MAX_MESSAGES) {
    messages = messages.slice(-MAX_MESSAGES);
    fromSeq = messages[0]!.seq;
  }
  return { ...copy, rev, messages, fromSeq, revsAhead: new Set(revsAhead) };
}

function advanceHead(head: Head, messages: readonly Message[]): Head {
  return messages.reduce(newest, head);
}

/** The first seq that a page covers; 0 if there are no older messages. */
function startOf({ messages, hasMore }: MessagePage): number {
  return hasMore ? (messages[0]?.seq ?? 0) : 0;
}
