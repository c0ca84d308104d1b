import { LIMITS } from "@fanfare/contract";
import { defineRepository, hashSecret, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** How apps are reached: services of Google and Apple. */
export type AppService = "fcm" | "apns";

/** Tokens become part of URLs. Those of Apple are hexadecimal. */
const APP = /^(?:(fcm):([\w:-]{1,1000})|(apns):([0-9a-f]{64,200}))$/;

/** The app of an endpoint; null: it is a browser's. */
export function appOf(endpoint: string): { service: AppService; token: string } | null {
  const [, fcm, fcmToken, apns, apnsToken] = APP.exec(endpoint) ?? [];
  const [service, token] = [fcm ?? apns, fcmToken ?? apnsToken];
  return token === undefined ? null : { service: service as AppService, token };
}

/** The push subscription of a session. */
export interface SubscriptionDocument {
  _id: string;
  userId: string;
  sessionId: string;
  /** URL of a browser's push service, or see `appOf`. */
  endpoint: string;
  /** SHA-256 of the endpoint, so that index entries have a fixed size. */
  endpointHash: string;
  /** Only browsers have keys. */
  p256dh?: string;
  auth?: string;
  createdAt: Date;
}

const schema = new Schema<SubscriptionDocument>(
  {
    userId: REQUIRED_ID,
    sessionId: REQUIRED_ID,
    endpoint: { type: String, required: true },
    endpointHash: { type: String, required: true },
    p256dh: String,
    auth: String,
    createdAt: { type: Date, required: true },
  },
  { collection: "pushSubscriptions" },
)
  .index({ endpointHash: 1 }, { unique: true, name: "endpoint" })
  .index({ userId: 1 }, { name: "user" })
  .index({ sessionId: 1 }, { name: "session" });

interface NewSubscription {
  userId: string;
  sessionId: string;
  endpoint: string;
  p256dh?: string;
  auth?: string;
}
export type SubscriptionRepository = ReturnType<typeof createSubscriptionRepository>;

/** Queries of the collection pushSubscriptions. */
export const createSubscriptionRepository = defineRepository(
  { name: "PushSubscription", schema, durable: false },
  ({ model: subscriptions, remove, removeAll }) => ({
    /** One per browser, which belongs to the user who subscribed last, and one per session. */
    async put({ endpoint, ...rest }: NewSubscription): Promise<void> {
      const endpointHash = hashSecret(endpoint);
      const changes = { $set: { ...rest, endpoint, createdAt: new Date() } };
      await subscriptions.updateOne({ endpointHash }, changes, { upsert: true });
      await subscriptions.deleteMany({ sessionId: rest.sessionId, endpointHash: { $ne: endpointHash } });
    },

    listOf: (userIds: readonly string[]) =>
      subscriptions
        .find({ userId: { $in: userIds } })
        .limit(userIds.length * LIMITS.sessionsPerUser)
        .lean(),

    find: (id: string) => subscriptions.findById(id).lean(),

    isEmpty: async (): Promise<boolean> => (await subscriptions.estimatedDocumentCount()) === 0,

    /** Only if unchanged: the browser may have subscribed again. */
    removeStale: ({ _id, sessionId, createdAt }: SubscriptionDocument) =>
      remove({ _id, sessionId, createdAt }),

    findByEndpoint: (endpoint: string) =>
      subscriptions.findOne({ endpointHash: hashSecret(endpoint) }).lean(),

    /** That of the endpoint, and that of the session: an app's token can have changed. */
    remove: ({ userId, sessionId, endpoint }: Pick<NewSubscription, "userId" | "sessionId" | "endpoint">) =>
      removeAll({ userId, $or: [{ endpointHash: hashSecret(endpoint) }, { sessionId }] }),

    removeOfSessions: (sessionIds: readonly string[]) => removeAll({ sessionId: { $in: sessionIds } }),

    removeAll: (userId: string) => removeAll({ userId }),

    removeOfBrowsers: () => removeAll({ p256dh: { $exists: true } }),
  }),
);
