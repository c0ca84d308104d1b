import type { PendingMessage } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import type { UnsentMessage } from "../conversation.ts";

/** A row of the list. `key` is stable across rebuilds. */
export type Row =
  | { kind: "day"; key: string; time: string }
  | { kind: "unread"; key: string }
  | MessageRow
  | BlockedRow
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

/** Reuses unchanged rows of `before`, so that only changed rows are rendered again. */
export function buildRows(input: RowsInput, before: readonly Row[] = []): readonly Row[] {
  const existing = new Map(before.map((row) => [row.key, row]));
  const rows = newRows(input).map((row) => {
    const same = existing.get(row.key);
    return same !== undefined && isSame(same, row) ? same : row;
  });
  const isUnchanged = rows.length === before.length && rows.every((row, index) => row === before[index]);
  return isUnchanged ? before : rows;
}

function newRows(input: RowsInput): Row[] {
  const { messages, ownId, readUpTo, blockedIds, unfoldedIds } = input;
  const rows: Row[] = [];
  let last: Message | undefined;
  let isMarked = readUpTo === null || readUpTo === 0;
  let fold: BlockedRow | null = null;
  for (const message of messages) {
    if (message.deletedAt !== null) continue;
    const startsDay = last === undefined || dayOf(last.createdAt) !== dayOf(message.createdAt);
    if (startsDay) rows.push({ kind: "day", key: `day-${message.id}`, time: message.createdAt });
    // No divider above the very first message.
    const isNew = !isMarked && message.seq > readUpTo! && message.authorId !== ownId;
    const startsUnread = isNew && last !== undefined;
    if (startsUnread) rows.push({ kind: "unread", key: "unread" });
    isMarked ||= isNew;
    if (startsDay || startsUnread || !blockedIds.has(message.authorId)) fold = null;
    const startsGroup = startsDay || startsUnread || !isSameGroup(last, message);
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
  pushOwn(rows, input, last);
  return rows;
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
  if (a.kind !== b.kind) return false;
  const names = Object.keys(b) as (keyof Row)[];
  return names.every((name) => a[name] === b[name]);
}

const days = new Map<string, string>();
/** Formatting dates is slow, and neighboring messages mostly share an hour. */
const MAX_DAYS = 1000;

/** The local calendar day. */
function dayOf(time: string): string {
  const hour = time.slice(0, 13);
  const known = days.get(hour);
  if (known !== undefined) return known;
  if (days.size >= MAX_DAYS) days.clear();
  const day = new Date(time).toDateString();
  days.set(hour, day);
  return day;
}
