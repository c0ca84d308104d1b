import type { Handler } from "@fanfare/kernel";
import type { ChannelRemoval } from "../channel-removal.ts";
import type { Parts } from "../parts.ts";

/** The messages are deleted by jobs. */
export function removeChannels({ node }: Parts, removal: ChannelRemoval): Handler<"message.removeChannels"> {
  return async ({ params: { channelIds } }) => {
    const requestedAt = new Date();
    await Promise.all(channelIds.map((channelId) => removal.enqueue(channelId, { requestedAt })));
    node.broadcast("channel.emptied", { channelIds });
    return {};
  };
}
