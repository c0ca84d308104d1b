import { boundedMap, Counter, type NodeContext } from "@fanfare/kernel";
import { OutboundError, type Outbound } from "@fanfare/outbound";
import webPush from "web-push";
import {
  RESPONSE_MAX_BYTES,
  QUERY_CONCURRENCY,
  PUSH_TIMEOUT_MS,
  PUSH_TRIES,
  PUSH_TTL_SECONDS,
  PUSH_CONCURRENCY,
  MAX_QUEUED_PUSHES,
} from "../constants.ts";
import type { SubscriptionDocument, SubscriptionRepository } from "./subscription.repository.ts";
import type { VapidKeys } from "./vapid-keys.ts";

export interface Push {
  subscription: SubscriptionDocument;
  messageId: string;
  payload: unknown;
}

interface StoredPush {
  subscriptionId: string;
  payload: unknown;
  expiresAt: Date;
}

interface PushesOptions {
  node: Pick<NodeContext, "jobs" | "logger" | "metrics">;
  subscriptions: Pick<SubscriptionRepository, "find" | "removeStale">;
  vapid: () => Promise<VapidKeys>;
  outbound: Pick<Outbound, "request">;
}

const OUTCOMES = ["sent", "gone", "refused", "failed", "dropped"] as const;
type Outcome = (typeof OUTCOMES)[number];
/** How push services report that a subscription has ended. */
const GONE: ReadonlySet<number> = new Set([404, 410]);
const LATER: ReadonlySet<number> = new Set([408, 429]);

/**
 * Sends pushes as jobs, at least once, for up to a day. Pushes beyond the limit are dropped; the inbox still has the messages.
 */
export function createPushes({ node, subscriptions, vapid, outbound }: PushesOptions) {
  const counted = new Counter({
    name: "fanfare_pushes_total",
    help: "Push notifications by outcome: sent, gone, refused, failed, dropped.",
    labelNames: ["outcome"],
    registers: [node.metrics],
  });
  for (const outcome of OUTCOMES) counted.inc({ outcome }, 0);

  const deliver = async ({ subscriptionId, payload }: StoredPush, signal: AbortSignal): Promise<Outcome> => {
    const subscription = await subscriptions.find(subscriptionId);
    if (subscription === null) return "gone";
    const { endpoint, p256dh, auth } = subscription;
    const details = webPush.generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify(payload),
      { vapidDetails: await vapid(), TTL: PUSH_TTL_SECONDS, urgency: "high", contentEncoding: "aes128gcm" },
    );
    const headers = Object.entries(details.headers).filter(([name]) => name !== "Content-Length");
    const { status } = await outbound.request({
      url: endpoint,
      method: "POST",
      headers: Object.fromEntries(headers),
      body: details.body,
      timeoutMs: PUSH_TIMEOUT_MS,
      maxBytes: RESPONSE_MAX_BYTES,
      signal,
    });
    if (GONE.has(status)) {
      await subscriptions.removeStale(subscription);
      return "gone";
    }
    if (status >= 500 || LATER.has(status)) throw new Error(`the push service responded with ${status}`);
    return status < 300 ? "sent" : "refused";
  };

  const jobs = node.jobs.define<StoredPush>("inbox.push", {
    concurrency: PUSH_CONCURRENCY,
    maxTries: PUSH_TRIES,
    maxWaiting: MAX_QUEUED_PUSHES,
    run: async ({ payload, tries, signal }) => {
      const isLast = tries >= PUSH_TRIES || new Date() > payload.expiresAt;
      const outcome = await deliver(payload, signal).catch((error: unknown): Outcome => {
        if (signal.aborted || !(isLast || isFinal(error))) throw error;
        // Don't log the endpoint: it is a secret shared with the browser.
        node.logger.debug({ err: error }, "push not sent");
        return "failed";
      });
      counted.inc({ outcome });
    },
  });

  return {
    /** Resolves when the jobs are stored. */
    async send(pushes: readonly Push[]): Promise<void> {
      const expiresAt = new Date(Date.now() + PUSH_TTL_SECONDS * 1000);
      await boundedMap(pushes, QUERY_CONCURRENCY, async ({ subscription, messageId, payload }) => {
        if (jobs.isFull) return counted.inc({ outcome: "dropped" });
        const subscriptionId = subscription._id;
        return jobs.enqueue(`${subscriptionId}:${messageId}`, { subscriptionId, payload, expiresAt });
      });
    },
    /** Whether there is no room for the pushes of another page of members. */
    isBusy: () => jobs.waiting > MAX_QUEUED_PUSHES / 2,
  };
}

/** Whether a retry is pointless. */
const isFinal = (error: unknown): boolean =>
  error instanceof OutboundError && (error.code === "BAD_URL" || error.code === "FORBIDDEN_ADDRESS");
