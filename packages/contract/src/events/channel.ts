import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const channelEvents = {
  "channel.created": event({
    summary: "A new channel in a group, a new direct channel, or one that the user did not see before.",
    audience: "channel",
    payload: z.object({ channel: e.ChannelSchema }),
  }),
  "channel.updated": event({
    summary:
      "The channel has another name, topic, place or slow mode, or others see it or may write in it than before.",
    audience: "channel",
    payload: z.object({ channel: e.ChannelSchema }),
  }),
  "channel.deleted": event({
    summary: "The channel is gone, or the user does not see it any more.",
    audience: "channel",
    payload: z.object({ groupId: e.id.nullable(), channelId: e.id }),
  }),
  "channel.closed": event({
    summary: "The user has put a direct channel out of sight. The next message brings it back.",
    audience: "self",
    payload: z.object({ channelId: e.id }),
  }),
  "channel.reordered": event({
    summary: "Channels of a group stand in other places.",
    audience: "channel",
    payload: z.object({ groupId: e.id, places: z.array(e.ChannelPlaceSchema) }),
  }),
  "readMarker.updated": event({
    summary: "Another session of the user has read up to here.",
    audience: "self",
    payload: z.object({ channelId: e.id, lastReadSeq: e.seq }),
  }),
};
