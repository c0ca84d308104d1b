import { createHmac } from "node:crypto";
import type { Sealer } from "@fanfare/kernel";
import type { Outbound } from "@fanfare/outbound";
import {
  type BotEvent,
  type BotMessageEvent,
  type Interaction,
  type Invocation,
  isMessageEvent,
  type Message,
  type ModalSubmission,
} from "@fanfare/contract";
import type { BotDocument, Callback } from "../bot.repository.ts";
import { ANSWER_MAX_BYTES, CALLBACK_TIMEOUT_MS } from "../constants.ts";

/** A callback that was not accepted. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  /** The receiver has unsubscribed (410). */
  readonly isGone: boolean;

  constructor(message: string, isGone: boolean) {
    super(message);
    this.isGone = isGone;
  }
}

export interface DeliverOptions {
  outbound: Pick<Outbound, "request">;
  sealer: Pick<Sealer, "open">;
}

/**
 * Sends one callback. Statuses 200 to 299 accept it; redirects don't, because the signature is only meant for this URL.
 * @returns the body of the response
 * @throws {DeliveryError}
 */
export async function deliver(
  { outbound, sealer }: DeliverOptions,
  bot: BotDocument,
  callback: Callback,
  deliveryId: string,
  events: readonly CallbackEvent[],
  timeoutMs = CALLBACK_TIMEOUT_MS,
): Promise<string> {
  const { _id: botId, groupId } = bot;
  const secret = sealer.open(callback.sealedSecret, botId);
  if (secret === null)
    throw new DeliveryError("TOKEN_SECRET has changed: call bot.subscribe with the secret again.", false);
  const body = JSON.stringify({ deliveryId, botId, groupId, events });
  const headers = signedHeaders(secret.text, body, deliveryId, new Date());
  const response = await outbound
    .request({
      url: callback.url,
      method: "POST",
      headers,
      body,
      timeoutMs,
      maxBytes: events.every(({ type }) => isMessageEvent(type)) ? 0 : ANSWER_MAX_BYTES,
    })
    .catch((error: unknown) => {
      throw new DeliveryError(error instanceof Error ? error.message : "It failed.", false);
    });
  const { status, body: answer } = response;
  if (status < 200 || status > 299)
    throw new DeliveryError(`The URL responded with status ${status}.`, status === 410);
  return answer.toString();
}

/** Headers with a signature, so that receivers can verify the sender and detect replays. */
function signedHeaders(secret: string, body: string, deliveryId: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return {
    "content-type": "application/json",
    "fanfare-delivery": deliveryId,
    "fanfare-timestamp": timestamp,
    "fanfare-signature": `v1=${signature}`,
  };
}

type CallbackEvent =
  | { type: BotMessageEvent; message: Message }
  | { type: "command.invoked"; invocation: Invocation }
  | { type: "interaction.created"; interaction: Interaction }
  | { type: "modal.submitted"; submission: ModalSubmission };

/**
 * Converts changes of a channel to the events that the bot has subscribed to, without its own messages.
 * @param afterSeq the newest message delivered to the bot
 */
export function toEvents(
  messages: readonly Message[],
  afterSeq: number,
  wanted: readonly BotEvent[],
  botId: string,
): CallbackEvent[] {
  return messages.flatMap((message): CallbackEvent[] => {
    if (message.authorId === botId) return [];
    const isNew = message.seq > afterSeq;
    // Deleted before it was delivered.
    if (isNew && message.deletedAt !== null) return [];
    const type =
      message.deletedAt !== null ? "message.deleted" : isNew ? "message.created" : "message.changed";
    return wanted.includes(type) ? [{ type, message }] : [];
  });
}
