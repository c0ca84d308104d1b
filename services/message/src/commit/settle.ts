import { setTimeout as sleep } from "node:timers/promises";
import { documentId } from "../document-id.ts";
import { presentMessage } from "../message.presenter.ts";
import { announceOne } from "./announce.ts";
import type { Item } from "./item.ts";
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
 */
export async function settle(context: WriteContext, unknown: readonly UnknownWrite[]): Promise<void> {
  const channelIds = [...new Set(unknown.map(({ channelId }) => channelId))];
  const byMessage = new Map(unknown.map((write) => [write.messageId, write]));
  const revs = new Map(unknown.map(({ messageId, rev }) => [messageId, rev]));
  for (const delayMs of context.settleDelaysMs) {
    await sleep(delayMs, undefined, { ref: false });
    try {
      for (const document of await context.store.settle(channelIds, revs)) {
        announceOne(context, byMessage.get(documentId(document))!.item, presentMessage(document));
      }
      return;
    } catch (error) {
      context.logger.error({ err: error }, "the outcome of a write is not known yet");
    }
  }
}
