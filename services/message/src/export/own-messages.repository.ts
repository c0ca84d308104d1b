import type { Connection } from "mongoose";
import { READ_TIMEOUT_MS } from "../bounds.ts";
import { within } from "../database.ts";
import { messageModel } from "../message.model.ts";
import { readMarkerModel } from "../read-marker.repository.ts";

export type OwnMessages = ReturnType<typeof createOwnMessages>;

/** What finds the messages of one author, without an index that every message would pay for. */
export function createOwnMessages(database: Connection) {
  const messages = messageModel(database);
  const markers = readMarkerModel(database);
  return {
    /** Of one channel, in the order of their nonces: that is the order of the index that there is. */
    list: (channelId: string, authorId: string, afterNonce: string, limit: number) =>
      within(
        READ_TIMEOUT_MS,
        messages
          .find({ channelId, authorId, nonce: { $gt: afterNonce } })
          .sort({ nonce: 1 })
          .limit(limit)
          .lean(),
      ),

    /** Those of the channels that are not among `listReadChannelIds`, in the order in which they are given. */
    async withoutMarker(userId: string, channelIds: readonly string[]): Promise<string[]> {
      const found = markers.find({ userId, channelId: { $in: channelIds } }, { channelId: 1 }).lean();
      const read = new Set(
        (await within(READ_TIMEOUT_MS, found)).map(({ channelId }) => channelId.toHexString()),
      );
      return channelIds.filter((id) => !read.has(id));
    },

    /** Channels that the user has read something of, in the order of their ids. */
    async listReadChannelIds(userId: string, afterId: string | null, limit: number): Promise<string[]> {
      const found = markers
        .find({ userId, ...(afterId !== null && { channelId: { $gt: afterId } }) }, { channelId: 1 })
        .sort({ userId: 1, channelId: 1 })
        .limit(limit)
        .lean();
      return (await within(READ_TIMEOUT_MS, found)).map(({ channelId }) => channelId.toHexString());
    },
  };
}
