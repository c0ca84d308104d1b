import type { ChannelState } from "@fanfare/contract";
import type { ServerCache } from "./cache.ts";
import { CHANNEL_LISTS } from "./manifest.ts";

/** A channel as it is held anywhere; undefined where it is in nothing that was asked for. */
export function heldChannel(cache: ServerCache, channelId: string): ChannelState | undefined {
  const [one] = cache.held("channel.get", { channelId });
  if (one !== undefined) return one.answer.channel;
  for (const name of CHANNEL_LISTS) {
    for (const { answer } of cache.held(name)) {
      const channel = answer.channels.find(({ id }) => id === channelId);
      if (channel !== undefined) return channel;
    }
  }
  return undefined;
}
