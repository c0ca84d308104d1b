import type { ChannelSync, EventPayload, Head, Message, Result } from "@fanfare/contract";
import { insertMessages, messageAt, newest } from "./message-list.ts";

/**
 * A client's copy of one channel: the messages from `fromSeq` on, and the proof that they are exact.
 *
 * Every change of a channel has a number, `rev`, without gaps; a message carries the number of its last change. All changes
 * up to `rev` are in the copy; changes in `ahead` came before others that are not there yet.
 */
export interface ChannelCopy {
  readonly channelId: string;
  readonly status: "loading" | "ready" | "gone";
  /** In the order of their seq; deleted ones stay, without their text. */
  readonly messages: readonly Message[];
  /** Older messages than this seq are not held; 0 when the copy reaches back to the first message. */
  readonly fromSeq: number;
  /** The newest numbers heard of. */
  readonly head: Head;
  readonly rev: number;
  readonly ahead: ReadonlySet<number>;
  /** The newest change that may have been passed over because its message is older than `fromSeq`. */
  readonly droppedRev: number;
  /** Counts the reasons to believe that events were lost; a sync or page asked for later settles all before it. */
  readonly doubts: number;
  readonly settledDoubts: number;
  /** The newest page must be loaded again: too much was missed, or the server knows less than it once did. */
  readonly needsPage: boolean;
}

export type MessagePage = Result<"message.list">;

export type ReactionChange = EventPayload<"reaction.changed">;

export type ChannelChange =
  /** Messages as an event or the answer to a call brought them, in any order, any number of times. */
  | { type: "messages"; messages: readonly Message[] }
  | { type: "reactions"; change: ReactionChange }
  /** Events may have been lost. */
  | { type: "doubt" }
  /** The newest page. `doubts` is what the copy had when it was asked for. */
  | { type: "newestPage"; page: MessagePage; doubts: number }
  /** The page before `before`, which was `fromSeq` when it was asked for. */
  | { type: "olderPage"; page: MessagePage; before: number }
  /** An answer to `channel.sync`. */
  | { type: "synced"; answer: ChannelSync; afterRev: number; doubts: number }
  | { type: "gone" };

/** The most messages that a copy holds; the oldest are let go first. */
export const MAX_MESSAGES = 5000;
/** The most changes that a copy remembers out of order or while its first page loads; beyond it, it syncs. */
export const MAX_EARLY = 1000;

export function newChannelCopy(channelId: string): ChannelCopy {
  return {
    channelId,
    status: "loading",
    messages: [],
    fromSeq: 0,
    head: { seq: 0, rev: 0 },
    rev: 0,
    ahead: new Set(),
    droppedRev: 0,
    doubts: 0,
    settledDoubts: 0,
    needsPage: true,
  };
}

/** The copy after a change. Pure: the same copy and change give the same result, and the old copy stays as it was. */
export function reduceChannel(copy: ChannelCopy, change: ChannelChange): ChannelCopy {
  if (copy.status === "gone" && change.type !== "newestPage") return copy;
  switch (change.type) {
    case "messages":
      return copy.status === "loading" ? keepEarly(copy, change.messages) : apply(copy, change.messages);
    case "reactions":
      return applyReactions(copy, change.change);
    case "doubt":
      return { ...copy, doubts: copy.doubts + 1 };
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

/** The `afterRev` to ask `channel.sync` for, or undefined when nothing is known to be missing. */
export function syncCursor(copy: ChannelCopy): number | undefined {
  if (copy.status !== "ready" || copy.needsPage) return undefined;
  const behind = copy.doubts > copy.settledDoubts || copy.rev < copy.head.rev;
  return behind ? copy.rev : undefined;
}

/** Nothing is applied before the first page is there: until then a message has no place in the copy. */
function keepEarly(copy: ChannelCopy, messages: readonly Message[]): ChannelCopy {
  const kept = insertMessages(copy.messages, messages);
  const head = headWith(copy.head, messages);
  return kept.length > MAX_EARLY ? { ...copy, messages: [], head } : { ...copy, messages: kept, head };
}

function apply(copy: ChannelCopy, messages: readonly Message[]): ChannelCopy {
  const ahead = new Set(copy.ahead);
  const kept: Message[] = [];
  let { droppedRev } = copy;
  for (const message of messages) {
    if (message.rev > copy.rev) ahead.add(message.rev);
    if (message.seq >= copy.fromSeq) kept.push(message);
    else droppedRev = Math.max(droppedRev, message.rev);
  }
  const head = headWith(copy.head, messages);
  return settle({ ...copy, head, droppedRev, ahead, messages: insertMessages(copy.messages, kept) });
}

/**
 * Reactions replace those of the message as it was before them. On any other state of it they prove only that something is
 * missing, which is then asked for.
 */
function applyReactions(copy: ChannelCopy, change: ReactionChange): ChannelCopy {
  const { seq, rev, afterRev, reactions } = change;
  const head = newest(copy.head, { seq, rev });
  if (copy.status === "ready" && seq < copy.fromSeq) {
    const droppedRev = Math.max(copy.droppedRev, rev);
    return settle({ ...copy, head, droppedRev, ahead: withNumber(copy, rev) });
  }
  const held = messageAt(copy.messages, seq);
  if (held === undefined || held.rev < afterRev) return { ...copy, head };
  const { reactions: _before, ...rest } = held;
  const message = { ...rest, rev, ...(reactions.length > 0 && { reactions }) };
  // A later state of it stays.
  const messages = insertMessages(copy.messages, [message]);
  return copy.status === "loading"
    ? { ...copy, head, messages }
    : settle({ ...copy, head, messages, ahead: withNumber(copy, rev) });
}

function withNumber({ rev, ahead }: ChannelCopy, number: number): ReadonlySet<number> {
  return number > rev ? new Set(ahead).add(number) : ahead;
}

function applyNewestPage(
  copy: ChannelCopy,
  { page, doubts }: Extract<ChannelChange, { type: "newestPage" }>,
): ChannelCopy {
  const fromSeq = startOf(page);
  // What came by events stays beside the page: it may be newer than the page.
  const held = copy.messages.filter((message) => message.seq >= fromSeq);
  const messages = insertMessages(held, page.messages);
  return settle({
    ...copy,
    status: "ready",
    messages,
    fromSeq,
    head: headWith(newest(copy.head, page.head), messages),
    // The page proves this much, and each message above it proves its own change.
    rev: page.head.rev,
    ahead: new Set(messages.map((message) => message.rev)),
    droppedRev: Math.max(copy.droppedRev, page.head.rev),
    settledDoubts: Math.max(copy.settledDoubts, doubts),
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
  // A change of one of these messages may have been dropped after the page was read: everything since is asked for again.
  return apply({ ...extended, rev: Math.min(copy.rev, page.head.rev), ahead: new Set() }, page.messages);
}

function applySync(
  copy: ChannelCopy,
  { answer, afterRev, doubts }: Extract<ChannelChange, { type: "synced" }>,
): ChannelCopy {
  if (answer.status === "gone") return reduceChannel(copy, { type: "gone" });
  if (copy.status !== "ready") return copy;
  // The server's history is shorter than ours: its data was restored from an older state. Start again.
  if (answer.head.rev < afterRev) return { ...newChannelCopy(copy.channelId), doubts: copy.doubts };
  if (answer.status === "resync") return { ...copy, needsPage: true };

  const applied = apply(copy, answer.messages);
  const settledDoubts = Math.max(copy.settledDoubts, doubts);
  const head = newest(applied.head, answer.head);
  if (afterRev > applied.rev) return { ...applied, head, settledDoubts };
  return settle({
    ...applied,
    head,
    settledDoubts,
    rev: Math.max(applied.rev, answer.head.rev),
  });
}

/** Moves `rev` over changes that came ahead of it, and keeps every collection within its bound. */
function settle(copy: ChannelCopy): ChannelCopy {
  let { rev, messages, fromSeq } = copy;
  while (copy.ahead.has(rev + 1)) rev++;
  const ahead = [...copy.ahead].filter((number) => number > rev).slice(0, MAX_EARLY);
  if (messages.length > MAX_MESSAGES) {
    messages = messages.slice(-MAX_MESSAGES);
    fromSeq = messages[0]!.seq;
  }
  return { ...copy, rev, messages, fromSeq, ahead: new Set(ahead) };
}

function headWith(head: Head, messages: readonly Message[]): Head {
  return messages.reduce(newest, head);
}

/** A page that nothing comes before reaches back to the first message. */
function startOf({ messages, hasMore }: MessagePage): number {
  return hasMore ? (messages[0]?.seq ?? 0) : 0;
}
