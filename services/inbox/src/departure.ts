import { LIMITS } from "@fanfare/contract";
import type { Handlers } from "@fanfare/kernel";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import { presentDraft, presentScheduled } from "./draft.repository.ts";
import { DEFAULT_EMAILS } from "./preferences.repository.ts";
import { presentSaved } from "./saved.repository.ts";
import { presentSetting } from "./setting.repository.ts";
import { presentSubscription } from "./push/subscriptions.ts";

export const departureActions = ({
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
