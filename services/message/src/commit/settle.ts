import { setTimeout as sleep } from "node:timers/promises";
import { documentId } from "../document-id.ts";
import { presentMessage } from "../message.presenter.ts";
import { announceOne } from "./announce.ts";
import type { Item } from "./item.ts";
import { within } from "./within.ts";
import type { WriteContext } from "./write-context.ts";

/** A write of which nobody knows whether it happened. */
export interface UnknownWrite {
  channelId: string;
  messageId: string;
  rev: number;
  item: Item;
}

/**
 * Finds out what became of writes whose outcome is unknown, and publishes those that happened after all: their senders
 * have been told to try again, but others must not have to wait for that.
 * @param at when the numbers were taken
 */
export async function settle(
  context: WriteContext,
  at: Date,
  unknown: readonly UnknownWrite[],
): Promise<void> {
  const channelIds = [...new Set(unknown.map(({ channelId }) => channelId))];
  const byMessage = new Map(unknown.map((write) => [write.messageId, write]));
  const revs = new Map(unknown.map(({ messageId, rev }) => [messageId, rev]));
  for (const delayMs of context.settleDelaysMs) {
    await sleep(delayMs, undefined, { ref: false });
    try {
      const found = await within(context.writeTimeoutMs, context.store.settle(channelIds, revs));
      for (const document of found) {
        const write = byMessage.get(documentId(document))!;
        if (Date.now() - at.getTime() < context.pendingMaxAgeMs) {
          announceOne(context, write.item, presentMessage(document));
        } else renumber(context, write);
      }
      return;
    } catch (error) {
      context.logger.error({ err: error }, "the outcome of a write is not known yet");
    }
  }
}

/** It may have been stored when readers took its number for a hole: under a new number everybody gets it. */
function renumber({ enqueue, logger }: WriteContext, { channelId, messageId, item }: UnknownWrite): void {
  enqueue(channelId, {
    kind: "change",
    messageId,
    set: {},
    announce: item.kind === "create" ? "message.created" : item.announce,
    rooms: item.rooms,
    enqueuedAtMs: Date.now(),
    resolve: () => undefined,
    reject: (error) => logger.error({ err: error, messageId }, "a late message has no new number"),
  });
}
