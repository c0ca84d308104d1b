import type { Result } from "@fanfare/contract";
import { type Handlers, invalid } from "@fanfare/kernel";
import type { InboxDependencies } from "../inbox.dependencies.ts";
import type { SubscriptionDocument } from "./subscription.repository.ts";

type Subscription = Result<"push.list">["subscriptions"][number];

export const subscriptionActions = ({ node, subscriptions, push }: InboxDependencies): Handlers => ({
  "push.getKey": async () => ({ publicKey: (await push.vapid()).publicKey }),

  "push.subscribe": async ({ params: { endpoint, keys }, actor: { userId, sessionId } }) => {
    if (node.config.environment === "production" && !endpoint.startsWith("https:"))
      throw invalid("endpoint", "must start with https://");
    await subscriptions.put({ userId, sessionId, endpoint, ...keys });
    push.subscribed();
    return {};
  },

  "push.unsubscribe": async ({ params: { endpoint }, actor: { userId } }) => {
    await subscriptions.remove(userId, endpoint);
    return {};
  },

  "push.list": async ({ actor: { userId } }) => ({
    subscriptions: (await subscriptions.listOf([userId])).map(presentSubscription),
  }),
});

/** Without the endpoint: anyone who knows it can push to the browser. */
export function presentSubscription({ sessionId, endpoint, createdAt }: SubscriptionDocument): Subscription {
  return {
    sessionId,
    host: new URL(endpoint).host,
    createdAt: createdAt.toISOString(),
  };
}
