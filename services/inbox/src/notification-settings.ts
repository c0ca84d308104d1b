import { userRoom } from "@fanfare/contract";
import { type Handlers, limitReached, can, type NodeContext, serviceError } from "@fanfare/kernel";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import { type Place, presentSetting } from "./setting.repository.ts";

export const notificationSettingActions = ({ node, settings }: InboxDependencies): Handlers => ({
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
});

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
