import { documentId } from "../document-id.ts";
import { answerChange, answerCreates } from "./answer.ts";
import type { ChannelBatch } from "./channel-queues.ts";
import { failure } from "./failure.ts";
import type { Item } from "./item.ts";
import { numberBatch, type NumberedBatch } from "./numbered-batch.ts";
import { settle, type UnknownWrite } from "./settle.ts";
import type { InsertFault } from "./store.ts";
import { within } from "./within.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * Writes one batch: takes the numbers, stores, publishes and answers. Never throws: every item is answered, except those
 * that it returns because they have to be written again.
 */
export async function writeBatch(
  context: WriteContext,
  batches: readonly ChannelBatch[],
): Promise<ChannelBatch[]> {
  const { heads, ledger } = context;
  const at = new Date();
  const batchId = ledger.open();
  const again: ChannelBatch[] = [];
  let taken: NumberedBatch[] = [];
  try {
    taken = await takeNumbers(context, batchId, at, batches, again);
  } catch (error) {
    context.logger.error({ err: error }, "numbers could not be taken");
    for (const { channelId, items } of batches) {
      heads.forget(channelId);
      for (const item of items) item.reject(failure(error));
    }
  }
  const unknown = taken.length === 0 ? [] : await storeAndAnswer(context, at, taken, again);
  const finish = (): void => {
    ledger.close(batchId);
    for (const { channelId } of taken) heads.finished(channelId, batchId);
  };
  if (unknown.length === 0) finish();
  else void settle(context, at, unknown).then(finish);
  return again;
}

async function takeNumbers(
  { store, heads, writeTimeoutMs }: WriteContext,
  batchId: string,
  at: Date,
  batches: readonly ChannelBatch[],
  again: ChannelBatch[],
): Promise<NumberedBatch[]> {
  const known = await within(writeTimeoutMs, heads.get(batches.map(({ channelId }) => channelId)));
  const numbered = batches.map((batch) => numberBatch(batch, known.get(batch.channelId)!, at));
  const takes = numbered.map(({ take }) => take);
  const restMs = remainingMs(at, writeTimeoutMs);
  const elsewhere = await within(restMs, store.takeNumbers(batchId, at, takes, restMs));
  return numbered.filter((batch, i) => {
    if (elsewhere.has(batch.channelId)) {
      heads.forget(batch.channelId);
      again.push(batches[i]!);
      return false;
    }
    heads.set(batch.channelId, batch.next);
    return true;
  });
}

/** @returns the writes whose outcome is unknown */
async function storeAndAnswer(
  context: WriteContext,
  at: Date,
  taken: readonly NumberedBatch[],
  again: ChannelBatch[],
): Promise<UnknownWrite[]> {
  const { store, logger } = context;
  const restMs = remainingMs(at, context.writeTimeoutMs);
  const messages = taken.flatMap(({ creates }) => creates.map(({ message }) => message));
  const changes = taken.flatMap((batch) => batch.changes);
  const [inserted, ...changed] = await Promise.allSettled([
    messages.length === 0 ? new Map<number, InsertFault>() : within(restMs, store.insert(messages, restMs)),
    ...changes.map(({ change }) => within(restMs, store.change(change, restMs))),
  ]);
  const unknown: UnknownWrite[] = [];
  const fail = (item: Item, write: Omit<UnknownWrite, "item">, reason: unknown): void => {
    if (unknown.length === 0) logger.error({ err: reason }, "a write failed");
    item.reject(failure(reason));
    unknown.push({ item, channelId: write.channelId, messageId: write.messageId, rev: write.rev });
  };
  let offset = 0;
  for (const { channelId, creates } of taken) {
    if (inserted.status === "rejected") {
      for (const { item, message } of creates) {
        fail(item, { channelId, messageId: documentId(message), rev: message.rev }, inserted.reason);
      }
    } else {
      const items = await answerCreates(context, channelId, creates, inserted.value, offset);
      if (items.length > 0) again.push({ channelId, items });
    }
    offset += creates.length;
  }
  for (const [i, { item, change }] of changes.entries()) {
    const outcome = changed[i]!;
    if (outcome.status === "rejected") fail(item, change, outcome.reason);
    else answerChange(context, item, outcome.value);
  }
  return unknown;
}

/** Readers take old numbers for holes, so all steps of a batch share one time limit. */
function remainingMs(at: Date, writeTimeoutMs: number): number {
  return Math.max(1, writeTimeoutMs - (Date.now() - at.getTime()));
}
