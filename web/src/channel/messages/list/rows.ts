import type { PendingMessage } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import type { UnsentMessage } from "../conversation.ts";

/** What one line of the list is; `key` stays the same as long as it means the same. */
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
  /** Whether the author's picture and name stand above. */
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
  /** Up to where was read when the channel was opened; null: nothing is marked. */
  readUpTo: number | null;
  blockedIds: ReadonlySet<string>;
  /** The first messages of runs by blocked authors that are unfolded. */
  unfoldedIds: ReadonlySet<string>;
}

/** Messages of one author within this time stand under one name. */
const GROUP_WITHIN_MS = 7 * 60_000;

/** Builds the rows, with those of before where nothing about them has changed: only what is new is rendered. */
export function buildRows(input: RowsInput, before: readonly Row[] = []): readonly Row[] {
  const held = new Map(before.map((row) => [row.key, row]));
  const rows = newRows(input).map((row) => {
    const same = held.get(row.key);
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
    // Nothing was read before the first message: that goes without saying.
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

/** What is on its way, and what could not be sent. */
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
/** Dates are slow to tell, and neighbours are of one hour mostly. */
const MAX_DAYS = 1000;

/** The day of the user's calendar that a time is in. */
function dayOf(time: string): string {
  const hour = time.slice(0, 13);
  const known = days.get(hour);
  if (known !== undefined) return known;
  if (days.size >= MAX_DAYS) days.clear();
  const day = new Date(time).toDateString();
  days.set(hour, day);
  return day;
}
