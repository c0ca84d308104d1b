import type { Result } from "@fanfare/contract";
import { type Handlers, invalid } from "@fanfare/kernel";
import type { InboxDependencies } from "../inbox.dependencies.ts";
import { appOf, type SubscriptionDocument } from "./subscription.repository.ts";

type Subscription = Result<"push.list">["subscriptions"][number];

export function subscriptionActions({ node, subscriptions, push }: InboxDependencies): Handlers {
  /** Only browsers prove with their keys that they can read the pushes. */
  const isTaken = async (endpoint: string, userId: string): Promise<boolean> => {
    const found = await subscriptions.findByEndpoint(endpoint);
    if (found === null || found.userId === userId) return false;
    const { users } = await node.services.user.listSpokenTo({ userIds: [found.userId] });
    return users.some(({ sessionIds }) => sessionIds.includes(found.sessionId));
  };

  return {
    "push.getKey": async () => ({ publicKey: (await push.vapid()).publicKey, apps: push.apps }),

    "push.subscribe": async ({ params: { endpoint, keys }, actor: { userId, sessionId } }) => {
      const app = appOf(endpoint);
      if (app !== null && !push.apps.includes(app.service))
        throw invalid("endpoint", `can't start with ${app.service}: on this server`);
      const isProduction = node.config.environment === "production";
      if (app === null && !endpoint.startsWith(isProduction ? "https:" : "http"))
        throw invalid("endpoint", "must start with https://");
      if (app === null && keys === undefined) throw invalid("keys", "are required for a browser");
      if (app !== null && (await isTaken(endpoint, userId)))
        throw invalid("endpoint", "belongs to another user who is logged in");
      await subscriptions.put({ userId, sessionId, endpoint, ...keys });
      push.subscribed();
      return {};
    },

    "push.unsubscribe": async ({ params: { endpoint }, actor: { userId, sessionId } }) => {
      await subscriptions.remove({ userId, sessionId, endpoint });
      return {};
    },

    "push.list": async ({ actor: { userId } }) => ({
      subscriptions: (await subscriptions.listOf([userId])).map(presentSubscription),
    }),
  };
}

/** Without the endpoint: anyone who knows it can push to the browser. */
export function presentSubscription({ sessionId, endpoint, createdAt }: SubscriptionDocument): Subscription {
  return {
    sessionId,
    host: appOf(endpoint)?.service ?? new URL(endpoint).host,
    createdAt: createdAt.toISOString(),
  };
}
