import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { departureActions } from "./departure.ts";
import { inboxActions } from "./inbox.ts";
import { unreadActions } from "./unread.ts";
import { notificationSettingActions } from "./notification-settings.ts";
import { subscriptionActions } from "./push/subscriptions.ts";
import { createFollowing, notifyMentioned } from "./mentions-and-follows.ts";
import { draftActions } from "./drafts.ts";
import { createDraftRepository } from "./draft.repository.ts";
import { createFollowRepository } from "./follow.repository.ts";
import { whenDue } from "./due.ts";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import { createMissedMails } from "./mail/missed-mails.ts";
import { createMissedRepository } from "./mail/missed.repository.ts";
import { createMarkerRepository } from "./marker.repository.ts";
import { createPreferencesRepository } from "./preferences.repository.ts";
import { createPush } from "./push/pusher.ts";
import { createSubscriptionRepository } from "./push/subscription.repository.ts";
import { createReminders, savedActions } from "./saved.ts";
import { createSavedRepository } from "./saved.repository.ts";
import { createScheduledSending, scheduledActions } from "./scheduled.ts";
import { createScheduledRepository } from "./scheduled.repository.ts";
import { createSettingRepository } from "./setting.repository.ts";

/**
 * What a user sees besides the channels: `inbox.*`, `channel.listUnread`, `draft.*`, `saved.*`, `scheduled.*`, `notification.*` and `push.*`.
 */
export function createInboxService(node: NodeContext): ReturnType<ServiceFactory> {
  const settings = createSettingRepository(node.database);
  const preferences = createPreferencesRepository(node.database);
  const subscriptions = createSubscriptionRepository(node.database);
  const follows = createFollowRepository(node.database);
  const drafts = createDraftRepository(node.database);
  const saved = createSavedRepository(node.database);
  const scheduled = createScheduledRepository(node.database);
  const follow = createFollowing({ node, follows });
  const markers = createMarkerRepository(node.database);
  const missed = createMissedRepository(node.database);
  const noteMissed = createMissedMails({ node, missed, markers, settings, preferences });
  const push = createPush({ node, settings, preferences, subscriptions, noteMissed });
  const dependencies: InboxDependencies = {
    node,
    markers,
    settings,
    preferences,
    follows,
    drafts,
    saved,
    scheduled,
    subscriptions,
    missed,
    remindAt: whenDue(node, "inbox.remind", saved, createReminders({ node, saved, push: push.remind })),
    sendAt: whenDue(node, "inbox.sendScheduled", scheduled, createScheduledSending(node, scheduled)),
    vapid: push.vapid,
    subscribed: push.subscribed,
  };
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
