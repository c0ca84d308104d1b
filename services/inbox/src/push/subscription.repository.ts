import { createHash } from "node:crypto";
import { LIMITS } from "@fanfare/contract";
import { duplicateKeyIndex } from "@fanfare/kernel";
import type { Connection } from "mongoose";
import { subscriptionModel, type SubscriptionDocument } from "./subscription.model.ts";

export interface NewSubscription {
  userId: string;
  sessionId: string;
  endpoint: string;
  p256dh: string;
  auth: string;
}
export type SubscriptionRepository = ReturnType<typeof createSubscriptionRepository>;

/** Every query of the collection pushSubscriptions. */
export function createSubscriptionRepository(connection: Connection) {
  const subscriptions = subscriptionModel(connection);
  return {
    /** A browser has one: whoever subscribes in it last is pushed to there. A session has one too. */
    async put({ endpoint, ...rest }: NewSubscription): Promise<void> {
      const endpointHash = hashOf(endpoint);
      const write = () =>
        subscriptions.updateOne(
          { endpointHash },
          { $set: { ...rest, endpoint, createdAt: new Date() } },
          { upsert: true },
        );
      // Two upserts at once: the second finds what the first has made.
      await write().catch((error: unknown) => {
        if (duplicateKeyIndex(error) !== null) return write();
        throw error;
      });
      await subscriptions.deleteMany({ sessionId: rest.sessionId, endpointHash: { $ne: endpointHash } });
    },

    listOf: (userIds: readonly string[]) =>
      subscriptions
        .find({ userId: { $in: userIds } })
        .limit(userIds.length * LIMITS.sessionsPerUser)
        .lean(),

    find: (id: string) => subscriptions.findById(id).lean(),

    isEmpty: async (): Promise<boolean> => (await subscriptions.estimatedDocumentCount()) === 0,

    /** Only where it is still the same: the browser may have subscribed anew. */
    async removeStale({ _id, sessionId, createdAt }: SubscriptionDocument): Promise<void> {
      await subscriptions.deleteOne({ _id, sessionId, createdAt });
    },

    async remove(userId: string, endpoint: string): Promise<void> {
      await subscriptions.deleteOne({ endpointHash: hashOf(endpoint), userId });
    },

    async removeOfSessions(sessionIds: readonly string[]): Promise<void> {
      await subscriptions.deleteMany({ sessionId: { $in: sessionIds } });
    },

    async removeAll(userId: string): Promise<void> {
      await subscriptions.deleteMany({ userId });
    },
  };
}

function hashOf(endpoint: string): string {
  return createHash("sha256").update(endpoint).digest("base64url");
}
