import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { departureActions } from "./departure.ts";
import { inboxActions } from "./inbox.ts";
import { unreadActions } from "./unread.ts";
import { notificationSettingActions } from "./notification-settings.ts";
import { subscriptionActions } from "./push/subscriptions.ts";
import { createFollowing, notifyMentioned } from "./mentions-and-follows.ts";
import { createFollowRepository } from "./follow.repository.ts";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import { createMarkerRepository } from "./marker.repository.ts";
import { createPush } from "./push/pusher.ts";
import { createSubscriptionRepository } from "./push/subscription.repository.ts";
import { createSettingRepository } from "./setting.repository.ts";

/** Inbox, unread channels and notifications of a user: `inbox.*`, `channel.listUnread`, `notification.*` and `push.*`. */
export function createInboxService(node: NodeContext): ReturnType<ServiceFactory> {
  const settings = createSettingRepository(node.database);
  const subscriptions = createSubscriptionRepository(node.database);
  const follows = createFollowRepository(node.database);
  const follow = createFollowing({ node, follows });
  const push = createPush({ node, settings, subscriptions });
  const dependencies: InboxDependencies = {
    node,
    markers: createMarkerRepository(node.database),
    settings,
    follows,
    subscriptions,
    vapid: push.vapid,
    subscribed: push.subscribed,
  };
  return defineService(node, {
    name: "inbox",
    actions: {
      ...departureActions(dependencies),
      ...inboxActions(dependencies),
      ...notificationSettingActions(dependencies),
      ...subscriptionActions(dependencies),
      ...unreadActions(dependencies),
    },
    events: {
      // Independent of each other, so that one failure doesn't affect the others.
      "message.stored": async (stored) => {
        const done = await Promise.allSettled([
          notifyMentioned(node, stored),
          push.stored(stored),
          follow(stored),
        ]);
        const failed = done.find((result) => result.status === "rejected");
        if (failed !== undefined) throw failed.reason;
      },
      "channel.emptied": ({ channelIds }) => follows.removeOfThreads(channelIds),
      "session.ended": ({ sessionIds }) => subscriptions.removeOfSessions(sessionIds),
    },
    async started() {
      await push.start();
    },
    stopped: () => push.stop(),
  });
}
