import { type NotificationPreferences, userRoom } from "@fanfare/contract";
import { type Handlers, limitReached, can, type NodeContext, orThrow, serviceError } from "@fanfare/kernel";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import { userOfUnsubscribeToken } from "./mail/missed-mails.ts";
import { type Place, presentSetting } from "./setting.repository.ts";

export const notificationSettingActions = ({
  node,
  settings,
  preferences,
  missed,
}: InboxDependencies): Handlers => {
  const configure = async (userId: string, changes: Partial<NotificationPreferences>) => {
    const changed = await preferences.change(userId, changes);
    node.publish(userRoom(userId), "notification.configured", { preferences: changed });
    return { preferences: changed };
  };
  /** @returns false for deleted users, of whom nothing must be stored */
  const configureActive = async (userId: string, changes: Partial<NotificationPreferences>) => {
    const { isActive } = await node.services.user.isActive({ userId });
    if (isActive) await configure(userId, changes);
    return isActive;
  };
  return {
    "notification.get": async ({ params, actor: { userId } }) => {
      const place = await requirePlace(node, userId, params);
      return { setting: await settings.find(userId, place) };
    },

    "notification.set": async ({ params: { groupId, channelId, ...changes }, actor: { userId } }) => {
      const place = await requirePlace(node, userId, { groupId, channelId });
      const setting = await settings.change(userId, place, changes);
      if (setting === null) throw limitReached("notificationSettingsPerUser");
      node.publish(userRoom(userId), "notification.updated", { setting });
      return { setting };
    },

    "notification.list": async ({ params: { cursor, limit }, actor: { userId } }) => {
      const found = await settings.listPage(userId, cursor, limit + 1);
      const page = found.slice(0, limit);
      return {
        settings: page.map(presentSetting),
        nextCursor: found.length > limit ? page.at(-1)!.placeId : null,
      };
    },

    "notification.getPreferences": async ({ actor: { userId } }) => ({
      preferences: await preferences.find(userId),
    }),

    "notification.setPreferences": async ({ params: { keywords, ...rest }, actor: { userId } }) => {
      const result = await configure(userId, {
        ...rest,
        ...(keywords !== undefined && { keywords: withoutRepeated(keywords) }),
      });
      if (rest.emails !== undefined) await missed.lookNow(userId);
      return result;
    },

    "notification.unsubscribe": async ({ params: { token } }) => {
      const userId = orThrow(userOfUnsubscribeToken(node, token), "INVALID_LINK");
      await configureActive(userId, { emails: "off" });
      return {};
    },

    "notification.setEmailsRefused": async ({ params: { userId, refused } }) => {
      if ((await preferences.find(userId)).emailsRefused === refused) return {};
      const isChanged = await configureActive(userId, { emailsRefused: refused });
      if (isChanged && refused)
        node.logger.info({ userId }, "address refused, emails about missed messages turned off");
      return {};
    },
  };
};

/** Case doesn't matter. */
function withoutRepeated(keywords: readonly string[]): string[] {
  return [...new Map(keywords.map((keyword) => [keyword.toLowerCase(), keyword])).values()];
}

/** The contract guarantees that one of the two is present. */
async function requirePlace(
  node: NodeContext,
  userId: string,
  { groupId, channelId }: { groupId?: string | undefined; channelId?: string | undefined },
): Promise<Place> {
  const place = channelId === undefined ? { groupId: groupId! } : { channelId };
  if (!can(await node.access.get(userId, place), "view"))
    throw serviceError(channelId === undefined ? "GROUP_NOT_FOUND" : "CHANNEL_NOT_FOUND");
  return { groupId: groupId ?? null, channelId: channelId ?? null };
}
