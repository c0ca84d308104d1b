import type { Head, Message } from "@fanfare/contract";
import { runInScope, unavailable, within } from "@fanfare/kernel";
import { Types } from "mongoose";
import { deadline, type MessageDocument } from "../message.model.ts";
import { mentionedBy } from "../mentions.ts";
import { presentMessage } from "../message.presenter.ts";
import type { ChangeItem, CreateItem, Run } from "./channel-queues.ts";
import type { ChangeOutcome, InsertFault, Sent } from "./database-store.ts";
import { announce, failure, wasOnlyRefused, type WriteContext } from "./write-context.ts";

interface NumberedRun extends Run {
  messages: MessageDocument[];
  from: Head;
}

/**
 * Writes new messages of several channels. Never throws: every sender is answered, except for the returned items, which must be
 * written again.
 * @returns the items to retry by channel; null when the database failed
 */
export async function writeCreates(
  context: WriteContext,
  runs: readonly Run[],
): Promise<Map<string, CreateItem[]> | null> {
  const { store, heads, writeTimeoutMs } = context;
  const inTime = deadline(writeTimeoutMs);
  // Messages of one channel depend on those before them.
  const isOrdered = runs.some(({ creates }) => creates.length > 1);
  let numbered: NumberedRun[];
  let faults: Map<number, InsertFault>;
  try {
    const known = await inTime(() => heads.get(runs.map(({ channelId }) => channelId)));
    numbered = runs.map((run) => number(run, known.get(run.channelId)!));
    const messages = numbered.flatMap((run) => run.messages);
    const raised = new Map(
      numbered.map(({ channelId, creates, messages }) => {
        const { seq, rev } = messages.at(-1)!;
        return [channelId, { seq, rev, threadOf: creates[0]!.threadOf }];
      }),
    );
    [faults] = await inTime((restMs) =>
      Promise.all([store.insert(messages, isOrdered, restMs), store.raiseHeads(raised, restMs)]),
    );
  } catch (error) {
    const isRefused = wasOnlyRefused(error);
    if (!isRefused) context.logger.error({ err: error }, "commit failed, outcome unknown");
    for (const { channelId, creates } of runs) {
      heads.evict(channelId);
      for (const item of creates) item.reject(failure(error));
    }
    return isRefused ? new Map() : null;
  }
  const again = new Map<string, CreateItem[]>();
  let offset = 0;
  let isStopped = false;
  for (const run of numbered) {
    const failed = firstFault(faults, offset, run.messages.length);
    const creates = isStopped ? run.creates : resolveRun(context, run, failed);
    if (creates.length > 0) again.set(run.channelId, creates);
    offset += run.messages.length;
    isStopped ||= isOrdered && failed !== null;
  }
  return again;
}

function number({ channelId, creates, scope }: Run, from: Head): NumberedRun {
  const channel = new Types.ObjectId(channelId);
  const createdAt = new Date();
  const messages = creates.map(
    ({ authorId, content, replyTo, nonce, mentionKeys, extras }, i): MessageDocument => {
      const rev = from.rev + 1 + i;
      const _id = new Types.ObjectId();
      const seq = from.seq + 1 + i;
      return {
        _id,
        channelId: channel,
        seq,
        rev,
        revs: [rev],
        authorId: new Types.ObjectId(authorId),
        content,
        replyTo: replyTo === null ? null : new Types.ObjectId(replyTo),
        nonce,
        createdAt,
        editedAt: null,
        deletedAt: null,
        ...extras,
        ...(mentionKeys !== undefined && mentionedBy({ _id, channelId: channel, seq }, mentionKeys)),
      };
    },
  );
  return { channelId, creates, messages, from, scope };
}

/** Nothing of a run is stored after its first failure. */
function firstFault(
  faults: ReadonlyMap<number, InsertFault>,
  offset: number,
  count: number,
): { at: number; fault: InsertFault } | null {
  if (faults.size === 0) return null;
  for (let at = 0; at < count; at++) {
    const fault = faults.get(offset + at);
    if (fault !== undefined) return { at, fault };
  }
  return null;
}

/**
 * Publishes stored messages, then answers the senders.
 * @returns the items to retry
 */
function resolveRun(
  context: WriteContext,
  { channelId, creates, messages, from, scope }: NumberedRun,
  failed: ReturnType<typeof firstFault>,
): CreateItem[] {
  const stored = failed === null ? creates.length : failed.at;
  context.heads.set(channelId, { seq: from.seq + stored, rev: from.rev + stored });
  if (stored > 0)
    runInScope(scope, () => publishAndResolve(context, channelId, creates, messages.slice(0, stored)));
  if (failed === null) return [];

  const [refused, ...rest] = creates.slice(failed.at);
  if (failed.fault.reason === "nonceExists") {
    void resolveStored(context, channelId, refused!);
    return rest;
  }
  context.heads.evict(channelId);
  if (failed.fault.reason === "numberTaken") return [refused!, ...rest];
  context.logger.error({ err: failed.fault.error }, "message rejected by the database");
  for (const item of [refused!, ...rest]) item.reject(failure(failed.fault.error));
  return [];
}

/** The audience can change between two messages of a run: each is published to the audience at the time it was sent. */
function areSame(rooms: readonly string[], others: readonly string[]): boolean {
  return rooms === others || (rooms.length === others.length && rooms.every((room, i) => room === others[i]));
}

function publishAndResolve(
  context: WriteContext,
  channelId: string,
  creates: readonly CreateItem[],
  messages: readonly MessageDocument[],
): void {
  const presented: Message[] = messages.map(presentMessage);
  context.countStored(presented.length);
  // The fan-out writes to sockets in a later turn of the event loop, so the senders are answered first.
  for (let from = 0; from < presented.length;) {
    const { rooms } = creates[from]!;
    let end = from + 1;
    while (end < presented.length && areSame(rooms, creates[end]!.rooms)) end += 1;
    const together = from === 0 && end === presented.length ? presented : presented.slice(from, end);
    announce(context, together.at(-1)!, rooms, "message.created", { channelId, messages: together });
    from = end;
  }
  for (const [i, message] of presented.entries()) creates[i]!.resolve(message);
  context.broadcastStored({ channelId, groupId: creates[0]!.groupId, messages: presented });
}

/** Writes a change, publishes it and answers. Never throws. @returns `again` when it must be retried, not yet answered */
export async function writeChange(
  context: WriteContext,
  channelId: string,
  item: ChangeItem,
): Promise<"answered" | "again" | "failed"> {
  const { store, heads, writeTimeoutMs } = context;
  const { messageId, set, ifRev } = item;
  const inTime = deadline(writeTimeoutMs);
  let changed: ChangeOutcome;
  try {
    const { seq, rev: before } = (await inTime(() => heads.get([channelId]))).get(channelId)!;
    const rev = before + 1;
    const raised = new Map([[channelId, { seq, rev }]]);
    [changed] = await inTime((restMs) =>
      Promise.all([
        store.change({ channelId, messageId, rev, set, ifRev }, restMs),
        store.raiseHeads(raised, restMs),
      ]),
    );
    if (changed.outcome === "numberTaken") {
      heads.evict(channelId);
      return "again";
    }
    if (changed.outcome === "changed") heads.set(channelId, { seq, rev });
  } catch (error) {
    const isRefused = wasOnlyRefused(error);
    if (!isRefused) context.logger.error({ err: error }, "commit failed, outcome unknown");
    heads.evict(channelId);
    item.reject(failure(error));
    return isRefused ? "answered" : "failed";
  }
  if (changed.outcome === "changed") {
    const message = presentMessage(changed.message);
    announceChange(context, item, message);
    item.resolve({ outcome: "changed", message });
  } else item.resolve(changed);
  return "answered";
}

function announceChange(
  context: WriteContext,
  { rooms, announce: name, ifRev }: ChangeItem,
  message: Message,
): void {
  if (name !== "reaction.changed") {
    announce(context, message, rooms, name, { message });
    return;
  }
  const { channelId, id: messageId, seq, rev, reactions = [] } = message;
  announce(context, message, rooms, name, {
    channelId,
    messageId,
    seq,
    rev,
    afterRev: ifRev ?? 0,
    reactions,
  });
}

/**
 * Finds an already stored message by nonce, or null. It is published unless this process has published a later change of the
 * channel: the sender retries because something failed, and the worker that stored it may have died before publishing it. After a
 * later change, publishing would break the order, and clients have detected the gap anyway.
 * @throws {ServiceError} when the database doesn't respond
 */
export async function findStored(
  context: WriteContext,
  channelId: string,
  { authorId, nonce, threadOf, rooms }: Sent & Pick<CreateItem, "rooms">,
): Promise<Message | null> {
  const { store, writeTimeoutMs } = context;
  try {
    const found = store.findByNonce(channelId, { authorId, nonce, threadOf }, writeTimeoutMs);
    const existing = await within(writeTimeoutMs, found);
    if (existing === null) return null;
    const message = presentMessage(existing);
    const { rev } = message;
    if (rev > (context.published.get(channelId) ?? 0))
      announce(context, { channelId, rev }, rooms, "message.created", { channelId, messages: [message] });
    return message;
  } catch (error) {
    throw failure(error);
  }
}

/** Answers a sender whose nonce violated the unique index. */
async function resolveStored(context: WriteContext, channelId: string, item: CreateItem): Promise<void> {
  try {
    const message = await findStored(context, channelId, item);
    if (message === null) item.reject(unavailable());
    else item.resolve(message);
  } catch (error) {
    item.reject(error);
  }
}
