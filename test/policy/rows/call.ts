import type { World } from "@fanfare/testing";
import { row, type Exceptions } from "../row.ts";

const channelOf = ({ channel }: World) => ({ channelId: channel.id });
const targetIn = ({ channel, target }: World) => ({ channelId: channel.id, userId: target.userId });
// Calls themselves are tested in services/call.
const off: Exceptions = { why: "this server has no LiveKit server", allowed: "CALLS_OFF" };

export const callRows = {
  "call.join": row("call.join", channelOf, off),
  "call.leave": row("call.leave", channelOf, off),
  "call.ring": row("call.ring", channelOf, off),
  "call.decline": row("call.decline", channelOf, off),
  "call.end": row("call.end", channelOf, off),
  "call.muteMember": row("call.muteMember", targetIn, off),
  "call.moveMember": row("call.moveMember", (world) => ({ ...targetIn(world), toChannelId: null }), off),
  "call.setSpeaking": row("call.setSpeaking", (world) => ({ ...channelOf(world), isSpeaking: true }), off),
  "call.list": row("call.list", () => ({})),
};
