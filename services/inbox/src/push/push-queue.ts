import { BackgroundQueue, type Counter, type Logger } from "@fanfare/kernel";
import type { OutboundAnswer, OutboundRequest } from "@fanfare/outbound";
import webPush from "web-push";
import { ANSWER_MAX_BYTES, PUSH_TIMEOUT_MS, PUSH_TTL_SECONDS, SENDING, WAITING } from "../bounds.ts";
import type { SubscriptionDocument } from "./subscription.model.ts";
import type { VapidKeys } from "./vapid-keys.ts";

export interface Push {
  subscription: SubscriptionDocument;
  payload: unknown;
}

export interface PushQueueOptions {
  vapid: VapidKeys;
  request(request: OutboundRequest): Promise<Pick<OutboundAnswer, "status">>;
  /** The push service does not know the subscription any more. */
  onGone(subscription: SubscriptionDocument): Promise<void>;
  sent: Counter<"outcome">;
  logger: Pick<Logger, "debug" | "warn">;
}

/** The subscription has ended, says the push service. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

/** Sends pushes in the background, some at a time. What is too much, or is not taken, is dropped: the inbox has it all the same. */
export class PushQueue {
  readonly #options: PushQueueOptions;
  readonly #queue: BackgroundQueue<Push>;

  constructor(options: PushQueueOptions) {
    this.#options = options;
    this.#queue = new BackgroundQueue({
      atOnce: SENDING,
      waiting: WAITING,
      work: (push, signal) => this.#work(push, signal),
    });
  }

  send(push: Push): void {
    if (!this.#queue.add(push)) this.#options.sent.inc({ outcome: "dropped" });
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** There is no room for those of another page of members. */
  isBusy(): boolean {
    return this.#queue.waiting > WAITING / 2;
  }

  /** Gives up what waits, and resolves when nothing is being sent any more. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #work(push: Push, signal: AbortSignal): Promise<void> {
    const { sent, logger } = this.#options;
    try {
      sent.inc({ outcome: await this.#deliver(push, signal) });
    } catch (error) {
      sent.inc({ outcome: "failed" });
      // An endpoint is a secret between the browser and us.
      logger.debug({ err: error }, "a push could not be sent");
    }
  }

  async #deliver({ subscription, payload }: Push, signal: AbortSignal): Promise<"sent" | "gone" | "refused"> {
    const { endpoint, p256dh, auth } = subscription;
    const details = webPush.generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify(payload),
      {
        vapidDetails: this.#options.vapid,
        TTL: PUSH_TTL_SECONDS,
        urgency: "high",
        contentEncoding: "aes128gcm",
      },
    );
    const headers = Object.entries(details.headers).filter(([name]) => name !== "Content-Length");
    const { status } = await this.#options.request({
      url: endpoint,
      method: "POST",
      headers: Object.fromEntries(headers),
      body: details.body,
      timeoutMs: PUSH_TIMEOUT_MS,
      maxBytes: ANSWER_MAX_BYTES,
      signal,
    });
    if (GONE.has(status)) {
      await this.#options.onGone(subscription);
      return "gone";
    }
    return status < 300 ? "sent" : "refused";
  }
}
