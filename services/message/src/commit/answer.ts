import type { Message } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import { documentId } from "../document-id.ts";
import { RETRY_AFTER_MS } from "../limits.ts";
import type { MessageDocument } from "../message.model.ts";
import { presentMessage } from "../message.presenter.ts";
import { announce, announceOne } from "./announce.ts";
import { failure } from "./failure.ts";
import type { ChangeItem, CreateItem, Item } from "./item.ts";
import type { NumberedBatch } from "./numbered-batch.ts";
import type { InsertFault } from "./store.ts";
import { within } from "./within.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * Publishes what was stored, then answers the senders.
 * @param offset where the messages of this channel begin in the insert
 * @returns the items that have to be written again, because their numbers had been given to others before
 */
export async function answerCreates(
  context: WriteContext,
  channelId: string,
  creates: NumberedBatch["creates"],
  faults: ReadonlyMap<number, InsertFault>,
  offset: number,
): Promise<Item[]> {
  if (faults.size > 0) {
    const isTaken = creates.some((_, i) => faults.get(offset + i) === "seq exists");
    if (isTaken) return healAndRedo(context, channelId, creates, faults, offset);
  }
  const stored: Message[] = [];
  const answers: (() => void)[] = [];
  for (const [i, { item, message }] of creates.entries()) {
    const fault = faults.size === 0 ? undefined : faults.get(offset + i);
    if (fault === undefined) {
      const presented = presentMessage(message);
      stored.push(presented);
      answers.push(() => item.resolve(presented));
    } else if (fault === "nonce exists") {
      void answerExisting(context, channelId, item);
    } else if (fault !== "seq exists") {
      item.reject(failure(fault.error));
    }
  }
  const rooms = creates.at(-1)?.item.rooms ?? [];
  // The fan-out writes to its sockets in a later turn of the event loop, so the senders are answered before that.
  if (stored.length > 0) {
    context.countStored(stored.length);
    announce(context, rooms, "message.created", { channelId, messages: stored });
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
  channelId: string,
  creates: NumberedBatch["creates"],
  faults: ReadonlyMap<number, InsertFault>,
  offset: number,
): Promise<Item[]> {
  context.logger.warn({ channelId }, "the head of a channel was behind its messages: it is raised");
  context.heads.forget(channelId);
  try {
    await within(context.writeTimeoutMs, context.store.heal(channelId));
  } catch (error) {
    for (const { item } of creates) item.reject(failure(error));
    return [];
  }
  return creates.flatMap(({ item, message }, i): Item[] => {
    const fault = faults.get(offset + i);
    if (fault === "seq exists") return [item];
    if (fault === "nonce exists") void answerExisting(context, channelId, item);
    else if (fault !== undefined) item.reject(failure(fault.error));
    else {
      const { rooms, enqueuedAtMs, reject } = item;
      const resolve = (result: Message | null): void => {
        if (result === null) reject(serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS }));
        else item.resolve(result);
      };
      const messageId = documentId(message);
      const touch = { kind: "change", messageId, set: {}, announce: "message.created" } as const;
      return [{ ...touch, rooms, enqueuedAtMs, resolve, reject }];
    }
    return [];
  });
}

async function answerExisting(context: WriteContext, channelId: string, item: CreateItem): Promise<void> {
  try {
    const existing = await findStored(context, channelId, item);
    if (existing === null) item.reject(serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS }));
    else item.resolve(existing);
  } catch (error) {
    item.reject(failure(error));
  }
}

/**
 * The message of a nonce that is stored already, or null. It is published again: that its sender repeats it means that
 * something went wrong, and the worker that stored it may have died before it told anybody.
 */
export async function findStored(
  context: WriteContext,
  channelId: string,
  { authorId, nonce, rooms }: Pick<CreateItem, "authorId" | "nonce" | "rooms">,
): Promise<Message | null> {
  const existing = await context.store.findDurable(channelId, authorId, nonce);
  if (existing === null) return null;
  const message = presentMessage(existing);
  announce(context, rooms, "message.created", { channelId, messages: [message] });
  return message;
}

export function answerChange(context: WriteContext, item: ChangeItem, changed: MessageDocument | null): void {
  const message = changed === null ? null : presentMessage(changed);
  if (message !== null) announceOne(context, item, message);
  item.resolve(message);
}
