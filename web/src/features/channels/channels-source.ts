import type { Channel, ChannelState } from "@fanfare/contract";
import type { LiveSource } from "../../shared/use-live.ts";

type ChannelEvents =
  | "channel.created"
  | "channel.updated"
  | "channel.deleted"
  | "message.created"
  | "readMarker.updated";

/** The channels of a group in their order, each with what is new in it. */
export function channelsSource(groupId: string): LiveSource<readonly ChannelState[], ChannelEvents> {
  return {
    events: [
      "channel.created",
      "channel.updated",
      "channel.deleted",
      "message.created",
      "readMarker.updated",
    ],
    load: async (client) => (await client.call("channel.list", { groupId })).channels.toSorted(byPosition),
    apply(channels, event) {
      switch (event.name) {
        case "channel.created":
        case "channel.updated":
          return event.payload.channel.groupId === groupId
            ? withChannel(channels, event.payload.channel)
            : channels;
        case "channel.deleted":
          return channels.filter(({ id }) => id !== event.payload.channelId);
        case "message.created": {
          const { channelId, messages } = event.payload;
          const seq = Math.max(...messages.map((message) => message.seq));
          return update(channels, channelId, ({ head }) => ({
            head: { ...head, seq: Math.max(head.seq, seq) },
          }));
        }
        case "readMarker.updated":
          return update(channels, event.payload.channelId, ({ lastReadSeq }) => ({
            lastReadSeq: Math.max(lastReadSeq, event.payload.lastReadSeq),
          }));
      }
    },
  };
}

function withChannel(channels: readonly ChannelState[], channel: Channel): readonly ChannelState[] {
  const held = channels.find(({ id }) => id === channel.id);
  const { head, lastReadSeq } = held ?? { head: { seq: 0, rev: 0 }, lastReadSeq: 0 };
  return [...channels.filter(({ id }) => id !== channel.id), { ...channel, head, lastReadSeq }].sort(
    byPosition,
  );
}

function update(
  channels: readonly ChannelState[],
  channelId: string,
  change: (channel: ChannelState) => Partial<ChannelState>,
): readonly ChannelState[] {
  return channels.map((channel) => (channel.id === channelId ? { ...channel, ...change(channel) } : channel));
}

function byPosition(a: Channel, b: Channel): number {
  return a.position - b.position || a.id.localeCompare(b.id);
}
