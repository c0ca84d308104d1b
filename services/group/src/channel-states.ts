import type { Call, ChannelState } from "@fanfare/contract";
import type { ChannelDocument } from "./channel.model.ts";
import { presentChannelState } from "./group.presenter.ts";

const UNUSED = { head: { seq: 0, rev: 0 }, lastReadSeq: 0 };

/** Channels as one user sees them: with what the message service knows of them, asked once for all. */
export async function channelStates(
  call: Call,
  userId: string,
  channels: readonly ChannelDocument[],
): Promise<ChannelState[]> {
  if (channels.length === 0) return [];
  const channelIds = channels.map(({ _id }) => _id);
  const { heads } = await call("message.listHeads", { userId, channelIds });
  const byId = new Map(heads.map((head) => [head.channelId, head]));
  return channels.map((channel) => presentChannelState(channel, byId.get(channel._id) ?? UNUSED));
}
