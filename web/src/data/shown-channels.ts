import type { ChannelView, FanfareClient } from "@fanfare/client";

/** Number of hidden channels that are kept live; the least recently shown are closed. */
const MAX_OPEN = 20;

const openOf = new WeakMap<FanfareClient, Set<ChannelView>>();

/** Records that a channel is shown. */
export function showChannel(client: FanfareClient, view: ChannelView): void {
  const open = openOf.get(client) ?? new Set();
  openOf.set(client, open);
  open.delete(view);
  open.add(view);
  for (const oldest of open) {
    if (open.size <= MAX_OPEN) return;
    // Its pending messages must still be sent.
    if (oldest.snapshot.pending.length > 0) continue;
    open.delete(oldest);
    oldest.close();
  }
}

/** The open channels, most recently shown last. */
export function openViews(client: FanfareClient): ChannelView[] {
  return [...(openOf.get(client) ?? [])];
}

/** Whether the page is at a channel, direct message or thread. */
export function isInAddress(channelId: string): boolean {
  return `${location.pathname}${location.search}`.includes(channelId);
}
