import { isDeepStrictEqual } from "node:util";
import { setTimeout as delay } from "node:timers/promises";
import type { ChannelView } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import type { Crowd, Room } from "./crowd.ts";
import type { LedgerEntry } from "./ledger.ts";
import type { Truth } from "./truth.ts";

export interface Findings {
  acknowledged: number;
  lost: string[];
  duplicated: string[];
  /** Other violations: a copy that differs, an edit that is gone. */
  wrong: string[];
}

/** Events may still be in flight. */
const SETTLE_MS = 60_000;
const POLL_MS = 100;

/** Compares what was acknowledged, and every client's copy, with the database. No member may be writing. */
export async function check(crowd: Crowd, truth: Truth): Promise<Findings> {
  const findings: Findings = { acknowledged: 0, lost: [], duplicated: [], wrong: [] };
  for (const room of crowd.rooms) {
    const stored = await truth.messages(room.channelId, room.checkedSeq);
    checkNumbers(room, stored, findings);
    const entries = crowd.ledger.entries.filter(({ channelId }) => channelId === room.channelId);
    checkLedger(entries, stored, findings);
    for (const { name, views } of room.members) {
      const difference = await differenceOf(views.get(room.channelId)!, stored);
      if (difference !== undefined)
        findings.wrong.push(`${name}'s copy of ${room.channelId} differs: ${difference}`);
    }
  }
  return findings;
}

/** A channel's seqs must have no gaps and no duplicates. */
function checkNumbers({ channelId, checkedSeq }: Room, stored: readonly Message[], findings: Findings): void {
  for (const [index, { seq }] of stored.entries()) {
    const expected = checkedSeq + index + 1;
    if (seq === expected) continue;
    findings.wrong.push(`${channelId}: seq ${seq} instead of ${expected}`);
    break;
  }
  const revs = new Set(stored.map(({ rev }) => rev));
  if (revs.size < stored.length) findings.wrong.push(`${channelId}: duplicate rev`);
}

function checkLedger(entries: readonly LedgerEntry[], stored: readonly Message[], findings: Findings): void {
  const byId = new Map(stored.map((message) => [message.id, message]));
  const timesStored = Map.groupBy(stored, originalText);
  for (const entry of entries) {
    const { acknowledged, text, authorId } = entry;
    const copies = (timesStored.get(text) ?? []).filter((message) => message.authorId === authorId);
    if (copies.length > 1) findings.duplicated.push(describe(entry, copies));
    if (acknowledged === undefined) continue;
    findings.acknowledged += 1;
    const message = byId.get(acknowledged.id);
    if (message === undefined) findings.lost.push(describe(entry, copies));
    else if (!isAsAcknowledged(entry, message)) findings.wrong.push(describe(entry, [message]));
  }
}

function isAsAcknowledged({ acknowledged, deleted, texts }: LedgerEntry, message: Message): boolean {
  if (message.seq !== acknowledged!.seq || message.nonce !== acknowledged!.nonce) return false;
  if (message.deletedAt !== null) return deleted !== "no";
  return deleted !== "yes" && texts.includes(message.content);
}

/** Edits only append to a text. */
function originalText({ content }: Message): string {
  return content.split(",")[0]!;
}

function describe(entry: LedgerEntry, stored: readonly Message[]): string {
  return JSON.stringify({ ...entry, stored });
}

/** How a client's copy differs from the database, after waiting for it to settle; undefined if it doesn't. */
async function differenceOf(view: ChannelView, stored: readonly Message[]): Promise<string | undefined> {
  const firstSeq = stored[0]?.seq ?? 0;
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    try {
      while (view.snapshot.hasOlder && view.messages[0]!.seq > firstSeq) await view.loadBefore();
    } catch (error) {
      return `older page failed to load: ${String(error)}`;
    }
    const held = view.messages.filter(({ seq }) => seq >= firstSeq);
    if (isDeepStrictEqual(held, stored)) return undefined;
    if (performance.now() > deadline) return firstDifference(held, stored);
    await delay(POLL_MS);
  }
}

function firstDifference(held: readonly Message[], stored: readonly Message[]): string {
  const bySeq = new Map(held.map((message) => [message.seq, message]));
  const missing = stored.find((message) => !isDeepStrictEqual(bySeq.get(message.seq), message));
  if (missing !== undefined) {
    return `it has ${JSON.stringify(bySeq.get(missing.seq))} where the database has ${JSON.stringify(missing)}`;
  }
  return `it has ${held.length} messages, the database ${stored.length}`;
}
