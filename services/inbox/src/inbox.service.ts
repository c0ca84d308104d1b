import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { departureActions } from "./departure.ts";
import { draftActions, scheduledActions } from "./drafts.ts";
import { inboxActions } from "./inbox.ts";
import { createDependencies } from "./inbox.dependencies.ts";
import { createFollowing, notifyMentioned } from "./mentions-and-follows.ts";
import { notificationSettingActions } from "./notification-settings.ts";
import { subscriptionActions } from "./push/subscriptions.ts";
import { savedActions } from "./saved.ts";
import { unreadActions } from "./unread.ts";

/**
 * What a user sees besides the channels: `inbox.*`, `channel.listUnread`, `draft.*`, `saved.*`, `scheduled.*`, `notification.*` and `push.*`.
 */
export function createInboxService(node: NodeContext): ReturnType<ServiceFactory> {
  const dependencies = createDependencies(node);
  const { follows, drafts, saved, scheduled, subscriptions, push } = dependencies;
  const follow = createFollowing({ node, follows });
  return defineService(node, {
    name: "inbox",
    actions: {
      ...departureActions(dependencies),
      ...draftActions(dependencies),
      ...inboxActions(dependencies),
      ...notificationSettingActions(dependencies),
      ...savedActions(dependencies),
      ...scheduledActions(dependencies),
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
      "channel.emptied": async ({ channelIds }) => {
        await Promise.all([
          follows.removeOfThreads(channelIds),
          drafts.removeOfChannels(channelIds),
          saved.removeOfChannels(channelIds),
          scheduled.removeOfChannels(channelIds),
        ]);
      },
      "session.ended": ({ sessionIds }) => subscriptions.removeOfSessions(sessionIds),
    },
    stopped: push.stop,
  });
}
