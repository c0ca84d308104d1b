import type { Result } from "@fanfare/contract";
import { type Handler, serviceError } from "@fanfare/kernel";
import type { InboxDependencies } from "../inbox.dependencies.ts";
import type { SubscriptionDocument } from "./subscription.repository.ts";

type Subscription = Result<"push.list">["subscriptions"][number];

export function getPushKey({ vapid }: InboxDependencies): Handler<"push.getKey"> {
  return () => ({ publicKey: vapid()?.publicKey ?? null });
}

export function subscribe(dependencies: InboxDependencies): Handler<"push.subscribe"> {
  const { node, vapid, subscriptions, subscribed } = dependencies;
  return async ({ params: { endpoint, keys }, actor: { userId, sessionId } }) => {
    if (vapid() === null) throw serviceError("PUSH_OFF");
    if (node.config.environment === "production" && !endpoint.startsWith("https:")) {
      const issues = [{ path: "endpoint", message: "must start with https://" }];
      throw serviceError("VALIDATION_FAILED", { issues });
    }
    await subscriptions.put({ userId, sessionId, endpoint, ...keys });
    subscribed();
    return {};
  };
}

export function unsubscribe({ subscriptions }: InboxDependencies): Handler<"push.unsubscribe"> {
  return async ({ params: { endpoint }, actor: { userId } }) => {
    await subscriptions.remove(userId, endpoint);
    return {};
  };
}

export function listSubscriptions({ subscriptions }: InboxDependencies): Handler<"push.list"> {
  return async ({ actor: { userId } }) => ({
    subscriptions: (await subscriptions.listOf([userId])).map(presentSubscription),
  });
}

/** Without the endpoint: whoever knows it could push there. */
export function presentSubscription({ sessionId, endpoint, createdAt }: SubscriptionDocument): Subscription {
  return {
    sessionId,
    host: new URL(endpoint).host,
    createdAt: createdAt.toISOString(),
  };
}
