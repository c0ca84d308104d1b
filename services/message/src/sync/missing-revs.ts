import type { PendingBatch } from "../channel-head.model.ts";
import type { BatchLedger } from "../commit/batch-ledger.ts";
import { PENDING_MAX_AGE_MS } from "../limits.ts";

type Stored = (numbers: readonly number[]) => Promise<ReadonlySet<number>>;

export interface MissingRevsOptions {
  pending: Readonly<Record<string, PendingBatch>> | undefined;
  /** Only numbers above this one are asked for. */
  afterRev: number;
  ledger: Pick<BatchLedger, "state">;
  storedSeqs: Stored;
  storedRevs: Stored;
  nowMs: number;
}

/**
 * The numbers that were taken when the head was read and whose write may still be going on. What is found to be stored
 * here is in every page that is read afterwards, so call this between reading the head and reading the messages.
 *
 * It may name a number too much for as long as a batch can be pending (a change that a later one has overwritten, a message
 * that was refused), which costs its reader a question, but never one too few.
 */
export async function missingRevs(options: MissingRevsOptions): Promise<number[]> {
  const { pending = {}, afterRev, ledger, nowMs } = options;
  const missing: number[] = [];
  const others: PendingBatch[] = [];
  for (const [batchId, batch] of Object.entries(pending)) {
    const state = ledger.state(batchId);
    if (state === "open") missing.push(...range(batch.rev, batch.count));
    else if (state === "of another worker" && batch.at.getTime() >= nowMs - PENDING_MAX_AGE_MS) {
      others.push(batch);
    }
  }
  // What another worker has stored since is still noted as pending until its next batch.
  if (others.length > 0) missing.push(...(await notStored(others, options)));
  return missing.filter((rev) => rev > afterRev).sort((a, b) => a - b);
}

async function notStored(
  batches: readonly PendingBatch[],
  { storedSeqs, storedRevs }: MissingRevsOptions,
): Promise<number[]> {
  const seqs = batches.flatMap(({ seq, messages }) => range(seq, messages));
  const changes = batches.flatMap(({ rev, count, messages }) => range(rev + messages, count - messages));
  const none: ReadonlySet<number> = new Set();
  const [created, changed] = await Promise.all([
    seqs.length === 0 ? none : storedSeqs(seqs),
    changes.length === 0 ? none : storedRevs(changes),
  ]);
  return batches.flatMap(({ rev, count, seq, messages }) => [
    ...range(rev, messages).filter((_, i) => !created.has(seq + i)),
    ...range(rev + messages, count - messages).filter((change) => !changed.has(change)),
  ]);
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}
