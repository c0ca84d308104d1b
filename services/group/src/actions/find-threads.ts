import type { Handler } from "@fanfare/kernel";
import { activityCursorOf, parseActivityCursor } from "../activity-cursor.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";

export function findThreads({ threads }: GroupDependencies): Handler<"channel.findThreads"> {
  return async ({ params: { channelIds } }) => {
    if (channelIds.length === 0) return { channels: [] };
    return { channels: (await threads.findMany(channelIds)).map(presentChannel) };
  };
}

export function listActiveThreads({ threads }: GroupDependencies): Handler<"channel.listActiveThreads"> {
  return async ({ params: { groupId, after, limit } }) => {
    const found = await threads.listActive(groupId, parseActivityCursor(after), limit);
    return {
      threads: found.map((thread) => ({
        channelId: thread._id,
        cursor: activityCursorOf(thread),
      })),
    };
  };
}
