import { boundedMap, Counter, type NodeContext, defineRepository } from "@fanfare/kernel";
import { OutboundError, type Outbound } from "@fanfare/outbound";
import webPush from "web-push";
import { Schema } from "mongoose";
import {
  RESPONSE_MAX_BYTES,
  QUERY_CONCURRENCY,
  REFUSED_LOG_MS,
  PUSH_TIMEOUT_MS,
  PUSH_TRIES,
  PUSH_TTL_SECONDS,
  PUSH_WAIT_MS,
  PUSH_CONCURRENCY,
  MAX_QUEUED_PUSHES,
} from "../constants.ts";
import type { AppPush, AppSender } from "./app-senders.ts";
import {
  appOf,
  type AppService,
  type SubscriptionDocument,
  type SubscriptionRepository,
} from "./subscription.repository.ts";

export interface Push {
  subscription: SubscriptionDocument;
  messageId: string;
  payload: PushPayload;
}

/** Pushes that earlier versions stored for apps have the texts for browsers, which Google and Apple must not get. */
type PushPayload = { app: AppPush } | { app?: undefined; title: string };

interface StoredPush {
  subscriptionId: string;
  payload: PushPayload;
  expiresAt: Date;
}

interface PushesOptions {
  node: Pick<NodeContext, "jobs" | "logger" | "metrics">;
  subscriptions: Pick<SubscriptionRepository, "find" | "removeStale">;
  vapid: () => Promise<VapidKeys>;
  outbound: Pick<Outbound, "request">;
  /** Only those that are set up. */
  apps: ReadonlyMap<AppService, AppSender>;
}

const OUTCOMES = ["sent", "gone", "refused", "failed", "dropped"] as const;
type Outcome = (typeof OUTCOMES)[number];
/** How push services report that a subscription has ended. */
const GONE: ReadonlySet<number> = new Set([404, 410]);
const LATER: ReadonlySet<number> = new Set([408, 429]);

/**
 * Sends pushes as jobs, at least once, for up to a day. Pushes beyond the limit are dropped; the inbox still has the messages.
 */
export function createPushes({ node, subscriptions, vapid, outbound, apps }: PushesOptions) {
  const counted = new Counter({
    name: "fanfare_pushes_total",
    help: "Push notifications by outcome: sent, gone, refused, failed, dropped.",
    labelNames: ["outcome"],
    registers: [node.metrics],
  });
  for (const outcome of OUTCOMES) counted.inc({ outcome }, 0);

  /** When a reason for which a service refused pushes was last logged. */
  const loggedMs = new Map<string, number>();

  /** @returns a date: try again then */
  const deliver = async (push: StoredPush, signal: AbortSignal): Promise<Outcome | Date> => {
    const subscription = await subscriptions.find(push.subscriptionId);
    if (subscription === null) return "gone";
    const app = appOf(subscription.endpoint);
    return app === null
      ? deliverToBrowser(subscription, push, signal)
      : deliverToApp(subscription, app, push, signal);
  };

  const deliverToApp = async (
    subscription: SubscriptionDocument,
    { service, token }: { service: AppService; token: string },
    { payload, expiresAt }: StoredPush,
    signal: AbortSignal,
  ): Promise<Outcome | Date> => {
    const sender = apps.get(service);
    if (sender === undefined) return "refused";
    if (payload.app === undefined) return "dropped";
    const delivery = await sender.send(token, payload.app, expiresAt, signal);
    if (delivery.outcome === "later") return delivery.at;
    if (delivery.outcome === "gone") await subscriptions.removeStale(subscription);
    if (delivery.outcome === "refused") logRefused(service, delivery.reason);
    return delivery.outcome;
  };

  const logRefused = (service: AppService, reason: string): void => {
    const key = `${service} ${reason}`;
    if (Date.now() < (loggedMs.get(key) ?? 0) + REFUSED_LOG_MS) return;
    loggedMs.set(key, Date.now());
    node.logger.warn({ service, reason }, "push refused, check the settings for apps");
  };

  const deliverToBrowser = async (
    subscription: SubscriptionDocument,
    { payload }: StoredPush,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const { endpoint, p256dh = "", auth = "" } = subscription;
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
      const delivery = await deliver(payload, signal).catch((error: unknown): Outcome => {
        if (signal.aborted || !(isLast || isFinal(error))) throw error;
        // Don't log the endpoint: it is a secret shared with the browser.
        node.logger.debug({ err: error }, "push not sent");
        return "failed";
      });
      const sentMs = payload.expiresAt.getTime() - PUSH_TTL_SECONDS * 1000;
      if (!(delivery instanceof Date) || delivery.getTime() > sentMs + PUSH_WAIT_MS) {
        counted.inc({ outcome: delivery instanceof Date ? "failed" : delivery });
        return;
      }
      // Not all of those that wait at the same moment.
      const jitterMs = Math.random() * 0.5 * Math.max(0, delivery.getTime() - Date.now());
      return { againAt: new Date(delivery.getTime() + jitterMs) };
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

/** The identity of this instance for push services. */
interface VapidKeys {
  /** https: or mailto: URL to contact the operator. */
  subject: string;
  publicKey: string;
  privateKey: string;
}

const KEYS_ID = "vapid";
/** Push services require a contact, but don't read it. */
const UNKNOWN_SUBJECT = "mailto:admin@localhost.invalid";

interface KeysDocument {
  _id: string;
  publicKey: string;
  /** Sealed. */
  privateKey: string;
}

const keysSchema = new Schema<KeysDocument>(
  {
    _id: { type: String, required: true },
    publicKey: { type: String, required: true },
    privateKey: { type: String, required: true },
  },
  { collection: "pushKeys" },
);

const createKeysRepository = defineRepository(
  { name: "PushKeys", schema: keysSchema },
  ({ model: keys, update }) => ({
    find: () => keys.findById(KEYS_ID).lean(),
    /** Changes nothing if there are any. */
    add: (made: Omit<KeysDocument, "_id">) =>
      keys.updateOne({ _id: KEYS_ID }, { $setOnInsert: made }, { upsert: true }),
    /** Only if they are still the keys that were read. */
    replace: ({ publicKey }: KeysDocument, made: Omit<KeysDocument, "_id">) =>
      update({ _id: KEYS_ID, publicKey }, { $set: made }),
  }),
);

interface VapidOptions {
  node: NodeContext;
  subscriptions: Pick<SubscriptionRepository, "removeOfBrowsers">;
}

/** Returns the keys of this instance. They are made when they are first needed, and are the same in all processes. */
export function createVapidKeys({ node, subscriptions }: VapidOptions): () => Promise<VapidKeys> {
  const { publicUrl } = node.config;
  const subject = publicUrl.startsWith("https:") ? publicUrl : UNKNOWN_SUBJECT;
  const keys = createKeysRepository(node.database);
  const sealer = node.sealerFor("push notifications");
  const load = async (): Promise<VapidKeys> => {
    const stored = await keys.find();
    const opened = stored === null ? null : sealer.open(stored.privateKey, KEYS_ID);
    if (stored !== null && opened !== null)
      return { subject, publicKey: stored.publicKey, privateKey: opened.text };
    const { publicKey, privateKey } = webPush.generateVAPIDKeys();
    const made = { publicKey, privateKey: sealer.seal(privateKey, KEYS_ID) };
    if (stored === null) await keys.add(made);
    else if (await keys.replace(stored, made)) {
      node.logger.warn(
        "TOKEN_SECRET has changed: the keys for push notifications were replaced. Users must turn them on again in their browsers.",
      );
      await subscriptions.removeOfBrowsers();
    }
    // Another process may have been first.
    return load();
  };
  let loaded: Promise<VapidKeys> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
}
