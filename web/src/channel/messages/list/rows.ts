import type { PendingMessage } from "@fanfare/client";
import type { Ephemeral, MemberChange, Message } from "@fanfare/contract";
import type { UnsentMessage } from "../conversation.ts";

/** A row of the list. `key` is stable across rebuilds. */
export type Row =
  | { kind: "day"; key: string; time: string }
  | { kind: "unread"; key: string }
  | MessageRow
  | BlockedRow
  | { kind: "members"; key: string; changes: readonly MemberChange[] }
  | { kind: "ephemeral"; key: string; ephemeral: Ephemeral }
  | { kind: "pending"; key: string; message: PendingMessage; startsGroup: boolean }
  | { kind: "unsent"; key: string; failed: UnsentMessage };

export interface MessageRow {
  kind: "message";
  key: string;
  message: Message;
  /** Whether the author's avatar and name are shown. */
  startsGroup: boolean;
}

export interface BlockedRow {
  kind: "blocked";
  key: string;
  firstId: string;
  count: number;
}

export interface RowsInput {
  messages: readonly Message[];
  /** Joins and departures to show between the messages, oldest first. */
  changes: readonly MemberChange[];
  /** Messages that only this user sees, also oldest first. */
  ephemerals: readonly Ephemeral[];
  pending: readonly PendingMessage[];
  unsent: readonly UnsentMessage[];
  ownId: string;
  /** The last read seq when the channel was opened; null if nothing is marked. */
  readUpTo: number | null;
  blockedIds: ReadonlySet<string>;
  /** The first messages of expanded runs by blocked authors. */
  unfoldedIds: ReadonlySet<string>;
}

/** Consecutive messages of an author within this time are grouped under one name. */
const GROUP_WITHIN_MS = 7 * 60_000;

export interface BuiltRows {
  input: RowsInput;
  rows: readonly Row[];
}

/** Reuses unchanged rows of `before`, so that only changed rows are rendered again. */
export function buildRows(input: RowsInput, before?: BuiltRows): readonly Row[] {
  if (before === undefined) return newRows(input, { rows: [], messageCount: 0 });
  const start = unchangedStart(input, before);
  const startCount = start.rows.length;
  const existing = new Map(before.rows.slice(startCount).map((row) => [row.key, row]));
  const rows = newRows(input, start);
  for (let index = startCount; index < rows.length; index++) {
    const same = existing.get(rows[index]!.key);
    if (same !== undefined && isSame(same, rows[index]!)) rows[index] = same;
  }
  const isUnchanged =
    rows.length === before.rows.length && rows.every((row, index) => row === before.rows[index]);
  return isUnchanged ? before.rows : rows;
}

/** The rows of the first messages, after which the others are added. */
interface Start {
  rows: readonly Row[];
  messageCount: number;
}

/** The rows that can't have changed: most messages are added at the end of a long list. */
function unchangedStart(input: RowsInput, before: BuiltRows): Start {
  const nothing = { rows: [], messageCount: 0 };
  const { messages, changes, ephemerals, ownId, readUpTo, blockedIds } = input;
  const former = before.input;
  const isComparable =
    former.changes === changes &&
    former.ephemerals === ephemerals &&
    former.ownId === ownId &&
    former.readUpTo === readUpTo &&
    former.blockedIds === blockedIds &&
    blockedIds.size === 0;
  if (!isComparable) return nothing;
  let messageCount = 0;
  while (messageCount < messages.length && messages[messageCount] === former.messages[messageCount])
    messageCount += 1;
  const last = lastShown(messages, messageCount);
  const lastIndex = last === undefined ? -1 : before.rows.findLastIndex(({ key }) => key === last.id);
  return lastIndex < 0 ? nothing : { rows: before.rows.slice(0, lastIndex + 1), messageCount };
}

/** The last of the first messages that isn't deleted. */
function lastShown(messages: readonly Message[], count: number): Message | undefined {
  for (let index = count - 1; index >= 0; index--)
    if (messages[index]!.deletedAt === null) return messages[index];
  return undefined;
}

function newRows(input: RowsInput, start: Start): Row[] {
  const { messages, changes, ownId, readUpTo, blockedIds, unfoldedIds } = input;
  const rows: Row[] = [...start.rows];
  let last = lastShown(messages, start.messageCount);
  let day = last === undefined ? null : dayOf(last.createdAt);
  const startDay = (time: string, id: string): boolean => {
    if (day === dayOf(time)) return false;
    day = dayOf(time);
    rows.push({ kind: "day", key: `day-${id}`, time });
    return true;
  };
  // Those before the last message are among the first rows.
  const ephemerals = input.ephemerals.filter(({ authorId }) => !blockedIds.has(authorId));
  const ephemeralTimes = ephemerals.map(({ createdAt }) => ({ at: createdAt }));
  let changeCount = countBefore(changes, last?.createdAt ?? "");
  let ephemeralCount = countBefore(ephemeralTimes, last?.createdAt ?? "");
  const pushOthers = (before: string): boolean => {
    const [from, ephemeralFrom] = [changeCount, ephemeralCount];
    changeCount = countBefore(changes, before, from);
    ephemeralCount = countBefore(ephemeralTimes, before, ephemeralFrom);
    const due = changes.slice(from, changeCount);
    for (const ofDay of Map.groupBy(due, ({ at }) => dayOf(at)).values()) {
      const { at, userId } = ofDay[0]!;
      startDay(at, `${at} ${userId}`);
      rows.push({ kind: "members", key: `members-${at} ${userId}`, changes: ofDay });
    }
    for (const ephemeral of ephemerals.slice(ephemeralFrom, ephemeralCount)) {
      startDay(ephemeral.createdAt, ephemeral.id);
      rows.push({ kind: "ephemeral", key: ephemeral.id, ephemeral });
    }
    return due.length > 0 || ephemeralCount > ephemeralFrom;
  };
  const isUnread = ({ seq, authorId }: Message): boolean => seq > readUpTo! && authorId !== ownId;
  let isMarked =
    readUpTo === null ||
    readUpTo === 0 ||
    start.rows.some((row) => row.kind === "message" && isUnread(row.message));
  let fold: BlockedRow | null = null;
  for (let index = start.messageCount; index < messages.length; index++) {
    const message = messages[index]!;
    if (message.deletedAt !== null) continue;
    const hasOthers = pushOthers(message.createdAt);
    const startsDay = startDay(message.createdAt, message.id);
    // No divider above the very first message.
    const isNew = !isMarked && isUnread(message);
    const startsUnread = isNew && last !== undefined;
    if (startsUnread) rows.push({ kind: "unread", key: "unread" });
    isMarked ||= isNew;
    const isApart = startsDay || startsUnread || hasOthers;
    if (isApart || !blockedIds.has(message.authorId)) fold = null;
    const startsGroup = isApart || !isSameGroup(last, message);
    last = message;
    if (blockedIds.has(message.authorId)) {
      if (fold === null) {
        fold = { kind: "blocked", key: `blocked-${message.id}`, firstId: message.id, count: 0 };
        rows.push(fold);
      }
      fold.count += 1;
      if (!unfoldedIds.has(fold.firstId)) continue;
    }
    rows.push({ kind: "message", key: message.id, message, startsGroup });
  }
  const endsApart = pushOthers(NEVER);
  pushOwn(rows, input, endsApart ? undefined : last);
  return rows;
}

/** After all times. */
const NEVER = "~";

/** How many are before a time, at least `from`. */
function countBefore(items: readonly { at: string }[], time: string, from = 0): number {
  let count = from;
  while (count < items.length && items[count]!.at < time) count += 1;
  return count;
}

/** Pending and failed messages. */
function pushOwn(rows: Row[], { pending, unsent, ownId }: RowsInput, last: Message | undefined): void {
  let isGroup = last?.authorId === ownId && Date.now() - Date.parse(last.createdAt) < GROUP_WITHIN_MS;
  for (const message of pending) {
    rows.push({ kind: "pending", key: message.nonce, message, startsGroup: !isGroup });
    isGroup = true;
  }
  for (const failed of unsent) rows.push({ kind: "unsent", key: failed.message.nonce, failed });
}

function isSameGroup(previous: Message | undefined, message: Message): boolean {
  if (previous === undefined || previous.authorId !== message.authorId || message.replyTo !== null)
    return false;
  if (previous.as?.name !== message.as?.name) return false;
  return Date.parse(message.createdAt) - Date.parse(previous.createdAt) < GROUP_WITHIN_MS;
}

function isSame(a: Row, b: Row): boolean {
  if (a.kind === "members" && b.kind === "members") {
    const { changes } = a;
    return changes.length === b.changes.length && b.changes.every((one, index) => one === changes[index]);
  }
  if (a.kind !== b.kind) return false;
  const names = Object.keys(b) as (keyof Row)[];
  return names.every((name) => a[name] === b[name]);
}

const days = new Map<string, string>();
/** Formatting dates is slow, and rows are built again and again. */
const MAX_DAYS = 1000;

/** The local calendar day. By minute, because midnight is within an hour of UTC where the time zone has half hours. */
function dayOf(time: string): string {
  const minute = time.slice(0, 16);
  const known = days.get(minute);
  if (known !== undefined) return known;
  if (days.size >= MAX_DAYS) days.clear();
  const day = new Date(time).toDateString();
  days.set(minute, day);
  return day;
}
