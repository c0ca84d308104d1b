import type { EventPayload, Message, Reaction, Result } from "@fanfare/contract";

/** Consecutive messages somewhere in a channel's history. */
export interface HistoryWindow {
  /** By seq, without gaps. */
  readonly messages: readonly Message[];
  readonly hasOlder: boolean;
}

type Page = Result<"message.list">;

/** Beyond this size, the window drops messages at the opposite end. */
export const MAX_WINDOW = 1000;

export function windowAround({ messages }: Page): HistoryWindow {
  const first = messages[0];
  return { messages, hasOlder: first !== undefined && first.seq > 1 };
}

export function withOlder(window: HistoryWindow, { messages: page, hasMore }: Page): HistoryWindow {
  const first = window.messages[0];
  const older = page.filter(({ seq }) => first === undefined || seq < first.seq);
  const messages = [...older, ...window.messages];
  return { messages: messages.slice(0, MAX_WINDOW), hasOlder: hasMore && (messages[0]?.seq ?? 1) > 1 };
}

export function withNewer(window: HistoryWindow, { messages: page }: Page): HistoryWindow {
  const last = window.messages.at(-1);
  const newer = page.filter(({ seq }) => last === undefined || seq > last.seq);
  const messages = [...window.messages, ...newer];
  return {
    messages: messages.slice(-MAX_WINDOW),
    hasOlder: window.hasOlder || messages.length > MAX_WINDOW,
  };
}

/** Applies changed messages; the version with the greater rev wins. */
export function withChanged(window: HistoryWindow, changed: ReadonlyMap<string, Message>): HistoryWindow {
  const isNewer = ({ id, rev }: Message): boolean => (changed.get(id)?.rev ?? 0) > rev;
  if (!window.messages.some(isNewer)) return window;
  return {
    ...window,
    messages: window.messages.map((message) => (isNewer(message) ? changed.get(message.id)! : message)),
  };
}

/**
 * Applies changed reactions. Returns null if an earlier change of the message was missed, so that it has to be refetched.
 */
export function withReactionsChanged(
  window: HistoryWindow,
  { messageId, rev, afterRev, reactions }: EventPayload<"reaction.changed">,
): HistoryWindow | null {
  const existing = window.messages.find(({ id }) => id === messageId);
  if (existing === undefined || existing.rev >= rev) return window;
  if (existing.rev < afterRev) return null;
  return withChanged(window, new Map([[messageId, withReactions(existing, rev, reactions)]]));
}

/**
 * The window, joined with the live copy if the two are adjacent. A live copy that was stored long ago can end before the window; the
 * window is shown alone until the copy is up to date.
 * @param live the live copy's messages, without a gap
 */
export function joinLive(
  window: HistoryWindow,
  live: readonly Message[],
): { messages: readonly Message[]; isLive: boolean } {
  const last = window.messages.at(-1);
  const firstLive = live[0];
  if (last === undefined || firstLive === undefined)
    return { messages: window.messages.length > 0 ? window.messages : live, isLive: true };
  const isAdjacent = last.seq >= firstLive.seq - 1 && live.at(-1)!.seq >= last.seq;
  if (!isAdjacent) return { messages: window.messages, isLive: false };
  return { messages: [...window.messages.filter(({ seq }) => seq < firstLive.seq), ...live], isLive: true };
}

function withReactions(message: Message, rev: number, reactions: Reaction[]): Message {
  const { reactions: _, ...rest } = message;
  return reactions.length === 0 ? { ...rest, rev } : { ...rest, rev, reactions };
}
