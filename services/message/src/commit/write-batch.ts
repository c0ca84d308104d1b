import { setTimeout as sleep } from "node:timers/promises";
import { LIMITS, type EventName, type EventPayload, type Message } from "@fanfare/contract";
import { serviceError, toServiceError, type Logger, type ServiceError } from "@fanfare/kernel";
import { RETRY_AFTER_MS } from "../limits.ts";
import type { MessageDocument } from "../message.model.ts";
import { presentMessage } from "../message.presenter.ts";
import type { BatchLedger } from "./batch-ledger.ts";
import type { ChannelBatch } from "./channel-queues.ts";
import type { ChangeItem, Item } from "./item.ts";
import type { KnownHeads } from "./known-heads.ts";
import { numberBatch, type NumberedBatch } from "./numbered-batch.ts";
import type { CommitStore, InsertFault } from "./store.ts";

type Announcement = "message.created" | "message.changed" | "message.deleted";

export interface WriteContext {
  store: CommitStore;
  heads: KnownHeads;
  ledger: BatchLedger;
  publish: <N extends Announcement & EventName>(
    rooms: readonly string[],
    name: N,
    payload: EventPayload<N>,
  ) => void;
  logger: Pick<Logger, "error" | "warn">;
  /** Waits between the attempts to find out what became of a write. */
  settleDelaysMs: readonly number[];
}

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
  const unknown = await storeAndAnswer(context, at, taken, again);
  const finish = (): void => {
    ledger.close(batchId);
    for (const { channelId } of taken) heads.finished(channelId, batchId);
  };
  if (unknown.length === 0) finish();
  else void settle(context, batchId, unknown).then(finish);
  return again;
}

async function takeNumbers(
  { store, heads }: WriteContext,
  batchId: string,
  at: Date,
  batches: readonly ChannelBatch[],
  again: ChannelBatch[],
): Promise<NumberedBatch[]> {
  const known = await heads.get(batches.map(({ channelId }) => channelId));
  const numbered = batches.map((batch) => numberBatch(batch, known.get(batch.channelId)!, at));
  const elsewhere = await store.takeNumbers(
    batchId,
    at,
    numbered.map(({ take }) => take),
    LIMITS.writeTimeoutMs,
  );
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

/** @returns the writes of which nobody knows whether they happened */
async function storeAndAnswer(
  context: WriteContext,
  at: Date,
  taken: readonly NumberedBatch[],
  again: ChannelBatch[],
): Promise<Unknown[]> {
  if (taken.length === 0) return [];
  const { store } = context;
  // Readers take numbers as old as this for holes, so nothing may be stored under them later.
  const timeoutMs = Math.max(1, LIMITS.writeTimeoutMs - (Date.now() - at.getTime()));
  const messages = taken.flatMap(({ creates }) => creates.map(({ message }) => message));
  const [inserted, ...changed] = await Promise.allSettled([
    messages.length === 0 ? new Map<number, InsertFault>() : store.insert(messages, timeoutMs),
    ...taken.flatMap(({ changes }) => changes.map(({ change }) => store.change(change, timeoutMs))),
  ]);
  const unknown: Unknown[] = [];
  let message = 0;
  let change = 0;
  for (const batch of taken) {
    if (inserted.status === "rejected") {
      for (const { item, message } of batch.creates) {
        item.reject(failure(inserted.reason));
        unknown.push({ batch, item, messageId: message._id.toHexString(), rev: message.rev });
      }
    } else {
      const redo = await answerCreates(context, batch, inserted.value, message);
      if (redo.length > 0) again.push({ channelId: batch.channelId, items: redo });
    }
    message += batch.creates.length;
    for (const { item, change: made } of batch.changes) {
      const outcome = changed[change++]!;
      if (outcome.status === "fulfilled") answerChange(context, item, outcome.value);
      else {
        item.reject(failure(outcome.reason));
        unknown.push({ batch, item, messageId: made.messageId, rev: made.rev });
      }
    }
  }
  const failed = [inserted, ...changed].find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") context.logger.error({ err: failed.reason }, "a write failed");
  return unknown;
}

/** @returns the items that have to be written again, because their numbers had been given to others before */
async function answerCreates(
  context: WriteContext,
  batch: NumberedBatch,
  faults: ReadonlyMap<number, InsertFault>,
  offset: number,
): Promise<Item[]> {
  if (faults.size > 0) {
    const isTaken = batch.creates.some((_, i) => faults.get(offset + i) === "seq exists");
    if (isTaken) return healAndRedo(context, batch, faults, offset);
  }
  const stored: Message[] = [];
  const answers: (() => void)[] = [];
  for (const [i, { item, message }] of batch.creates.entries()) {
    const fault = faults.size === 0 ? undefined : faults.get(offset + i);
    if (fault === undefined) {
      const presented = presentMessage(message);
      stored.push(presented);
      answers.push(() => item.resolve(presented));
    } else if (fault === "nonce exists") {
      answerExisting(context, batch.channelId, item);
    } else if (fault !== "seq exists") {
      item.reject(failure(fault.error));
    }
  }
  const rooms = batch.creates.at(-1)?.item.rooms ?? [];
  // The fan-out writes to its sockets in a later turn of the event loop, so the senders are answered before that.
  if (stored.length > 0) {
    announce(context, rooms, "message.created", { channelId: batch.channelId, messages: stored });
  }
  for (const answer of answers) answer();
  return [];
}

/**
 * The head was behind the messages, as after a loss of the collection of heads. What has been stored may carry a rev
 * that clients are past already, so it is given a new one; the rest is written again.
 */
async function healAndRedo(
  context: WriteContext,
  { channelId, creates }: NumberedBatch,
  faults: ReadonlyMap<number, InsertFault>,
  offset: number,
): Promise<Item[]> {
  context.logger.warn({ channelId }, "the head of a channel was behind its messages: it is raised");
  context.heads.forget(channelId);
  try {
    await context.store.heal(channelId);
  } catch (error) {
    for (const { item } of creates) item.reject(failure(error));
    return [];
  }
  return creates.flatMap(({ item, message }, i): Item[] => {
    const fault = faults.get(offset + i);
    if (fault === "seq exists") return [item];
    if (fault === "nonce exists") answerExisting(context, channelId, item);
    else if (fault !== undefined) item.reject(failure(fault.error));
    else {
      const { rooms, enqueuedAtMs, reject } = item;
      const resolve = (result: Message | null): void => {
        if (result === null) reject(serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS }));
        else item.resolve(result);
      };
      const messageId = message._id.toHexString();
      const touch = { kind: "change", messageId, set: {}, announce: "message.created" } as const;
      return [{ ...touch, rooms, enqueuedAtMs, resolve, reject }];
    }
    return [];
  });
}

function answerExisting({ store }: WriteContext, channelId: string, item: Item): void {
  if (item.kind !== "create") return;
  store.findByNonce(channelId, item.authorId, item.nonce).then((existing) => {
    if (existing === null) item.reject(serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS }));
    else item.resolve(presentMessage(existing));
  }, item.reject);
}

function answerChange(context: WriteContext, item: ChangeItem, changed: MessageDocument | null): void {
  const message = changed === null ? null : presentMessage(changed);
  if (message !== null) announceOne(context, item, message);
  item.resolve(message);
}

function announceOne(context: WriteContext, item: Item, message: Message): void {
  const name = item.kind === "create" ? "message.created" : item.announce;
  if (name === "message.created") {
    announce(context, item.rooms, name, { channelId: message.channelId, messages: [message] });
  } else announce(context, item.rooms, name, { message });
}

/** What is stored stays stored: a fault of the fan-out must not tell its sender otherwise. */
function announce<N extends Announcement>(
  { publish, logger }: WriteContext,
  rooms: readonly string[],
  name: N,
  payload: EventPayload<N>,
): void {
  try {
    publish(rooms, name, payload);
  } catch (error) {
    logger.error({ err: error }, "an event could not be published");
  }
}

interface Unknown {
  batch: NumberedBatch;
  item: Item;
  messageId: string;
  rev: number;
}

/**
 * Finds out what became of writes whose outcome is unknown, and publishes those that happened after all: their senders
 * have been told to try again, but others must not have to wait for that.
 */
async function settle(context: WriteContext, batchId: string, unknown: readonly Unknown[]): Promise<void> {
  const channelIds = [...new Set(unknown.map(({ batch }) => batch.channelId))];
  const byMessage = new Map(unknown.map((write) => [write.messageId, write]));
  const revs = new Map(unknown.map(({ messageId, rev }) => [messageId, rev]));
  for (const delayMs of context.settleDelaysMs) {
    await sleep(delayMs, undefined, { ref: false });
    try {
      for (const document of await context.store.settle(batchId, channelIds, revs)) {
        const message = presentMessage(document);
        announceOne(context, byMessage.get(message.id)!.item, message);
      }
      return;
    } catch (error) {
      context.logger.error({ err: error }, "the outcome of a write is not known yet");
    }
  }
}

/** Why a write failed, for its sender, who may repeat it with the same nonce. */
function failure(error: unknown): ServiceError {
  const known = toServiceError(error);
  return known.type === "INTERNAL" ? serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS }) : known;
}
