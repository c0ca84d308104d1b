import { LIMITS } from "@fanfare/contract";
import { defineService, type Handlers, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { presentDraft, presentScheduled } from "./draft.repository.ts";
import { draftActions, scheduledActions } from "./drafts.ts";
import { inboxActions } from "./inbox.ts";
import { createDependencies, type InboxDependencies } from "./inbox.dependencies.ts";
import { createFollowing, notifyMentioned } from "./mentions-and-follows.ts";
import { notificationSettingActions } from "./notification-settings.ts";
import { DEFAULT_EMAILS } from "./preferences.repository.ts";
import { presentSubscription, subscriptionActions } from "./push/subscriptions.ts";
import { presentSaved } from "./saved.repository.ts";
import { savedActions } from "./saved.ts";
import { presentSetting } from "./setting.repository.ts";
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
      ...ownDataActions(dependencies),
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

const ownDataActions = ({
  markers,
  settings,
  preferences,
  follows,
  drafts,
  saved,
  scheduled,
  subscriptions,
  missed,
}: InboxDependencies): Handlers => ({
  "inbox.forgetUser": async ({ params: { userId } }) => {
    const collections = [settings, follows, drafts, saved, scheduled, subscriptions];
    const byUser = [markers, preferences, missed];
    await Promise.all([
      ...byUser.map((one) => one.remove(userId)),
      ...collections.map((one) => one.removeAll(userId)),
    ]);
    return {};
  },

  "inbox.exportUser": async ({ params: { userId, cursor } }) => {
    const limit = LIMITS.pageMaxItems;
    const found = await settings.listPage(userId, cursor ?? undefined, limit);
    const last = found.length < limit ? undefined : found.at(-1);
    const isFirst = cursor === null;
    const own = isFirst ? await subscriptions.listOf([userId]) : [];
    const begun = isFirst ? await drafts.listOf(userId) : [];
    const kept = isFirst ? await saved.listOf(userId, LIMITS.savedPerUser) : [];
    const preferred = await preferences.find(userId);
    const { quietHours, keywords, emails } = preferred;
    const hasPreferred = isFirst && (quietHours !== null || keywords.length > 0 || emails !== DEFAULT_EMAILS);
    const later = isFirst ? await scheduled.listOf(userId) : [];
    return {
      items: [
        ...begun.map((one) => ({ kind: "draft", data: presentDraft(one) })),
        ...kept.map((one) => ({ kind: "savedMessage", data: presentSaved(one) })),
        ...later.map((one) => ({ kind: "scheduledMessage", data: presentScheduled(one) })),
        ...own.map((subscription) => ({ kind: "pushSubscription", data: presentSubscription(subscription) })),
        ...(hasPreferred ? [{ kind: "notificationPreferences", data: preferred }] : []),
        ...found.map((setting) => ({ kind: "notificationSetting", data: presentSetting(setting) })),
      ],
      nextCursor: last?.placeId ?? null,
    };
  },
});
