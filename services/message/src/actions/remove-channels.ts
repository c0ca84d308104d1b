import type { Handler } from "@fanfare/kernel";
import type { ChannelRemoval } from "../channel-removal.ts";
import type { MessageDependencies } from "../message.dependencies.ts";

/** The messages are deleted by jobs. */
export function removeChannels(
  { node }: MessageDependencies,
  removal: ChannelRemoval,
): Handler<"message.removeChannels"> {
  return async ({ params: { channelIds } }) => {
    const requestedAt = new Date();
    await Promise.all(channelIds.map((channelId) => removal.enqueue(channelId, { requestedAt })));
    node.broadcast("channel.emptied", { channelIds });
    return {};
  };
}
