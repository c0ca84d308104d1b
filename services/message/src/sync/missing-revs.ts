import type { PendingBatch } from "../channel-head.model.ts";
import type { BatchLedger } from "../commit/batch-ledger.ts";
import { PENDING_MAX_AGE_MS } from "../limits.ts";

export interface MissingRevsOptions {
  pending: Readonly<Record<string, PendingBatch>> | undefined;
  /** Only numbers above this one are asked for. */
  afterRev: number;
  ledger: Pick<BatchLedger, "state">;
  storedRevs: (revs: readonly number[]) => Promise<Set<number>>;
  nowMs: number;
}

/**
 * The numbers that were taken when the head was read and whose write may still be going on. What is found to be stored
 * here is in every page that is read afterwards, so call this between reading the head and reading the messages.
 */
export async function missingRevs(options: MissingRevsOptions): Promise<number[]> {
  const { pending = {}, afterRev, ledger, storedRevs, nowMs } = options;
  const own: number[] = [];
  const others: number[] = [];
  for (const [batchId, { rev, count, at }] of Object.entries(pending)) {
    if (at.getTime() < nowMs - PENDING_MAX_AGE_MS) continue;
    const state = ledger.state(batchId);
    if (state === "closed") continue;
    const numbers = Array.from({ length: count }, (_, i) => rev + i).filter((number) => number > afterRev);
    (state === "open" ? own : others).push(...numbers);
  }
  // What another worker has stored since is still noted as pending until its next batch.
  const stored = others.length === 0 ? new Set<number>() : await storedRevs(others);
  return [...own, ...others.filter((rev) => !stored.has(rev))].sort((a, b) => a - b);
}
