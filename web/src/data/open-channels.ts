import type { ChannelView, FanfareClient } from "@fanfare/client";
import type { ChannelState } from "@fanfare/contract";
import type { ServerCache } from "./cache.ts";
import { CHANNEL_LISTS } from "./manifest.ts";

/** So many channels are kept exact besides the one that is shown; those that were shown longest ago are closed. */
const MAX_OPEN = 20;

const openOf = new WeakMap<FanfareClient, Set<ChannelView>>();

/** Notes that a channel is shown now. */
export function showChannel(client: FanfareClient, view: ChannelView): void {
  const open = openOf.get(client) ?? new Set();
  openOf.set(client, open);
  open.delete(view);
  open.add(view);
  for (const oldest of open) {
    if (open.size <= MAX_OPEN) return;
    // What was written there must still be sent.
    if (oldest.snapshot.pending.length > 0) continue;
    open.delete(oldest);
    oldest.close();
  }
}

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
