import type { Head, Message } from "@fanfare/contract";
import { runInScope } from "@fanfare/kernel";
import { Types } from "mongoose";
import { deadline } from "../database.ts";
import { mentionedBy } from "../mentioned-by.ts";
import type { MessageDocument } from "../message.model.ts";
import { presentMessage } from "../message.presenter.ts";
import type { CreateItem, Run } from "./channel-queues.ts";
import type { InsertFault } from "./database-store.ts";
import { answerStored } from "./find-stored.ts";
import { announce, type WriteContext, failure, wasOnlyRefused } from "./write-context.ts";

interface NumberedRun extends Run {
  messages: MessageDocument[];
  from: Head;
}

/**
 * Writes new messages of several channels, one each, or several of one channel. Never throws: every sender is answered,
 * except those that it returns by channel because they have to be written again.
 * @returns null when the database failed
 */
export async function writeCreates(
  context: WriteContext,
  runs: readonly Run[],
): Promise<Map<string, CreateItem[]> | null> {
  const { store, heads, writeTimeoutMs } = context;
  const inTime = deadline(writeTimeoutMs);
  let numbered: NumberedRun[];
  let faults: Map<number, InsertFault>;
  try {
    const known = await inTime(() => heads.get(runs.map(({ channelId }) => channelId)));
    numbered = runs.map((run) => number(run, known.get(run.channelId)!));
    const messages = numbered.flatMap((run) => run.messages);
    const raised = new Map(numbered.map(({ channelId, messages }) => [channelId, messages.at(-1)!]));
    const ordered = messages.length > runs.length;
    [faults] = await inTime((restMs) =>
      Promise.all([store.insert(messages, ordered, restMs), store.raiseHeads(raised, restMs)]),
    );
  } catch (error) {
    const isRefused = wasOnlyRefused(error);
    if (!isRefused) context.logger.error({ err: error }, "commit failed, outcome unknown");
    for (const { channelId, creates } of runs) {
      heads.forget(channelId);
      for (const item of creates) item.reject(failure(error));
    }
    return isRefused ? new Map() : null;
  }
  const again = new Map<string, CreateItem[]>();
  let offset = 0;
  for (const run of numbered) {
    const creates = answerRun(context, run, firstFault(faults, offset, run.messages.length));
    if (creates.length > 0) again.set(run.channelId, creates);
    offset += run.messages.length;
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

/** Nothing of a run is stored after its first fault. */
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
 * Publishes what was stored, then answers the senders.
 * @returns those that have to be written again
 */
function answerRun(
  context: WriteContext,
  { channelId, creates, messages, from, scope }: NumberedRun,
  failed: ReturnType<typeof firstFault>,
): CreateItem[] {
  const stored = failed === null ? creates.length : failed.at;
  context.heads.set(channelId, { seq: from.seq + stored, rev: from.rev + stored });
  if (stored > 0)
    runInScope(scope, () => publishAndAnswer(context, channelId, creates, messages.slice(0, stored)));
  if (failed === null) return [];

  const [refused, ...rest] = creates.slice(failed.at);
  if (failed.fault.reason === "nonceExists") {
    void answerStored(context, channelId, refused!);
    return rest;
  }
  context.heads.forget(channelId);
  if (failed.fault.reason === "numberTaken") return [refused!, ...rest];
  context.logger.error({ err: failed.fault.error }, "a message was refused by the database");
  for (const item of [refused!, ...rest]) item.reject(failure(failed.fault.error));
  return [];
}

/** Who sees the channel may have changed between two messages of a run: each is told to those who saw it when it was sent. */
function areSame(rooms: readonly string[], others: readonly string[]): boolean {
  return rooms === others || (rooms.length === others.length && rooms.every((room, i) => room === others[i]));
}

function publishAndAnswer(
  context: WriteContext,
  channelId: string,
  creates: readonly CreateItem[],
  messages: readonly MessageDocument[],
): void {
  const presented: Message[] = messages.map(presentMessage);
  context.countStored(presented.length);
  // The fan-out writes to its sockets in a later turn of the event loop, so the senders are answered before that.
  for (let from = 0; from < presented.length;) {
    const { rooms } = creates[from]!;
    let end = from + 1;
    while (end < presented.length && areSame(rooms, creates[end]!.rooms)) end += 1;
    const together = from === 0 && end === presented.length ? presented : presented.slice(from, end);
    announce(context, together.at(-1)!, rooms, "message.created", { channelId, messages: together });
    from = end;
  }
  for (const [i, message] of presented.entries()) creates[i]!.resolve(message);
  context.tellStored({ channelId, groupId: creates[0]!.groupId, messages: presented });
}
