import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const channelEvents = {
  "channel.created": event({
    summary: "A new channel in a group, or a new direct channel.",
    audience: "channel",
    payload: z.object({ channel: e.ChannelSchema }),
  }),
  "channel.updated": event({
    summary: "The channel has another name or position.",
    audience: "channel",
    payload: z.object({ channel: e.ChannelSchema }),
  }),
  "channel.deleted": event({
    summary: "The channel is gone.",
    audience: "channel",
    payload: z.object({ groupId: e.id, channelId: e.id }),
  }),
  "readMarker.updated": event({
    summary: "Another session of the user has read up to here.",
    audience: "self",
    payload: z.object({ channelId: e.id, lastReadSeq: e.seq }),
  }),
};
