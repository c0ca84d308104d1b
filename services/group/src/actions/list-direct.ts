import { userRoom, type Result } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { activityCursorOf, parseActivityCursor } from "../activity-cursor.ts";
import { channelStates } from "../channel-states.ts";
import { isClosed } from "../direct.repository.ts";
import type { GroupDependencies } from "../group.dependencies.ts";

export function listDirect({ directs }: GroupDependencies): Handler<"channel.listDirect"> {
  return async ({ params: { cursor, limit }, actor: { userId }, call }) => {
    const before = cursor === undefined ? undefined : parseActivityCursor(cursor);
    const found = await directs.listOf(userId, before, limit + 1);
    const page = found.slice(0, limit).filter(({ deletedAt }) => deletedAt === undefined);
    const states = await channelStates(call, userId, page);
    const channels = states.filter(({ head }, index) => !isClosed(page[index]!, userId, head.seq));
    return { channels, nextCursor: found.length > limit ? activityCursorOf(found[limit - 1]!) : null };
  };
}

export function closeDirect({ node, channels, directs }: GroupDependencies): Handler<"channel.closeDirect"> {
  return async ({ params: { channelId }, actor: { userId }, call }) => {
    const channel = await channels.find(channelId);
    if (channel?.memberIds === undefined) throw serviceError("FORBIDDEN");
    const [state] = await channelStates(call, userId, [channel]);
    await directs.close(channelId, userId, state!.head.seq);
    node.publish(userRoom(userId), "channel.closed", { channelId });
    return {};
  };
}

export function getChannel({ channels }: GroupDependencies): Handler<"channel.get"> {
  return async ({ params: { channelId }, actor: { userId }, call }): Promise<Result<"channel.get">> => {
    const found = await channels.find(channelId);
    if (found === null) throw serviceError("CHANNEL_NOT_FOUND");
    const [channel] = await channelStates(call, userId, [found]);
    return { channel: channel! };
  };
}
