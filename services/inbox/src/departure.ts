import { LIMITS } from "@fanfare/contract";
import type { Handlers } from "@fanfare/kernel";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import { presentSetting } from "./setting.repository.ts";
import { presentSubscription } from "./push/subscriptions.ts";

export const departureActions = ({
  markers,
  settings,
  follows,
  subscriptions,
}: InboxDependencies): Handlers => ({
  "inbox.forgetUser": async ({ params: { userId } }) => {
    const collections = [settings, follows, subscriptions];
    await Promise.all([markers.remove(userId), ...collections.map((one) => one.removeAll(userId))]);
    return {};
  },

  "inbox.exportUser": async ({ params: { userId, cursor } }) => {
    const limit = LIMITS.pageMaxItems;
    const found = await settings.listPage(userId, cursor ?? undefined, limit);
    const last = found.length < limit ? undefined : found.at(-1);
    const own = cursor === null ? await subscriptions.listOf([userId]) : [];
    return {
      items: [
        ...own.map((subscription) => ({ kind: "pushSubscription", data: presentSubscription(subscription) })),
        ...found.map((setting) => ({ kind: "notificationSetting", data: presentSetting(setting) })),
      ],
      nextCursor: last?.placeId ?? null,
    };
  },
});
