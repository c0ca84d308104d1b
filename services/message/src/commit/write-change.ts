import type { Message } from "@fanfare/contract";
import { deadline } from "../database.ts";
import { presentMessage } from "../message.presenter.ts";
import type { ChangeItem } from "./channel-queues.ts";
import type { ChangeOutcome } from "./database-store.ts";
import { announce, type WriteContext, failure, wasOnlyRefused } from "./write-context.ts";

/** Writes a change, publishes it and answers. Never throws; `again`: it has to be written again, and is not answered yet. */
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
      heads.forget(channelId);
      return "again";
    }
    if (changed.outcome === "changed") heads.set(channelId, { seq, rev });
  } catch (error) {
    const isRefused = wasOnlyRefused(error);
    if (!isRefused) context.logger.error({ err: error }, "commit failed, outcome unknown");
    heads.forget(channelId);
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
