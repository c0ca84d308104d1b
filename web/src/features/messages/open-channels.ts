import type { ChannelView } from "@fanfare/client";

/** So many channels are kept exact besides the one that is shown; those that were shown longest ago are closed. */
const MAX_OPEN = 20;

const open = new Set<ChannelView>();

/** Notes that a channel is shown now. */
export function showChannel(view: ChannelView): void {
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
