import type { Message } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import { RETRY_AFTER_MS } from "../bounds.ts";
import { within } from "../database.ts";
import { presentMessage } from "../message.presenter.ts";
import type { CreateItem } from "./channel-queues.ts";
import { announce, type WriteContext, failure } from "./write-context.ts";

/**
 * The message of a nonce that is stored already, or null. It is published if this process has published nothing later in the
 * channel: a sender repeats a message because something went wrong, and the worker that stored it may have died before
 * publishing it. Behind a later change it would break the order, and that change has shown the gap to every client.
 * @throws {ServiceError} when the database does not answer
 */
export async function findStored(
  context: WriteContext,
  channelId: string,
  { authorId, nonce, rooms }: Pick<CreateItem, "authorId" | "nonce" | "rooms">,
): Promise<Message | null> {
  const { store, writeTimeoutMs } = context;
  try {
    const found = store.findByNonce(channelId, authorId, nonce, writeTimeoutMs);
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

/** Answers a sender whose nonce the index has refused. */
export async function answerStored(
  context: WriteContext,
  channelId: string,
  item: CreateItem,
): Promise<void> {
  try {
    const message = await findStored(context, channelId, item);
    if (message === null) item.reject(serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS }));
    else item.resolve(message);
  } catch (error) {
    item.reject(error);
  }
}
