import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema, Types } from "mongoose";
import { oneBatch, inTime } from "./message.model.ts";

/** A user has read a channel up to and including `seq`. */
interface ReadMarkerDocument {
  _id: string;
  userId: string;
  channelId: string;
  seq: number;
}

const schema = new Schema<ReadMarkerDocument>(
  { userId: REQUIRED_ID, channelId: REQUIRED_ID, seq: { type: Number, required: true } },
  { collection: "readMarkers" },
)
  .index({ userId: 1, channelId: 1 }, { unique: true, name: "user_channel" })
  .index({ channelId: 1 }, { name: "channel" });

/** Queries of the read markers. */
export const createReadMarkerRepository = defineRepository(
  { name: "ReadMarker", schema, durable: false },
  ({ model: markers, native, fromNative, update, removeSome }) => {
    /** @returns the previous seq */
    const move = async (
      userId: string,
      channelId: string,
      change: { $max: { seq: number } } | { $min: { seq: number } },
    ): Promise<number> => {
      const options = { upsert: "$max" in change, returnDocument: "before", projection: { seq: 1 } } as const;
      const before = await inTime(markers.findOneAndUpdate({ userId, channelId }, change, options).lean());
      return before?.seq ?? 0;
    };
    const advance = (userId: string, channelId: string, seq: number) =>
      move(userId, channelId, { $max: { seq } });

    return {
      /** The last read seq of a user by channel; without channels that have no marker. */
      async findMany(userId: string, channelIds: readonly string[]): Promise<Map<string, number>> {
        const found = native.find(
          {
            userId: new Types.ObjectId(userId),
            channelId: { $in: channelIds.map((id) => new Types.ObjectId(id)) },
          },
          { projection: { channelId: 1, seq: 1, _id: 0 }, batchSize: oneBatch(channelIds) },
        );
        return new Map(
          fromNative(await inTime(found.toArray())).map(({ channelId, seq }) => [channelId, seq]),
        );
      },

      /** Users who have read a channel up to this seq or further, without one of them. */
      async listReaders(
        { channelId, seq, exceptId }: { channelId: string; seq: number; exceptId: string },
        limit: number,
      ): Promise<string[]> {
        const found = native.find(
          {
            channelId: new Types.ObjectId(channelId),
            seq: { $gte: seq },
            userId: { $ne: new Types.ObjectId(exceptId) },
          },
          { projection: { userId: 1, _id: 0 }, limit },
        );
        return fromNative(await inTime(found.toArray())).map(({ userId }) => userId);
      },

      /** Channels that a user has read, sorted by id. */
      async listReadChannelIds(userId: string, afterId: string | null, limit: number): Promise<string[]> {
        const found = markers
          .find({ userId, ...(afterId !== null && { channelId: { $gt: afterId } }) }, { channelId: 1 })
          .sort({ userId: 1, channelId: 1 })
          .limit(limit)
          .lean();
        return (await inTime(found)).map(({ channelId }) => channelId);
      },

      /** Moves a marker forward, never back. @returns the previous seq */
      advance,

      /** Moves a marker from this seq to the next one. @returns false if it isn't there */
      async advanceFrom(userId: string, channelId: string, seq: number): Promise<boolean> {
        // Users who have read nothing have no marker.
        if (seq === 0) return (await advance(userId, channelId, 1)) === 0;
        return inTime(update({ userId, channelId, seq }, { $set: { seq: seq + 1 } }));
      },

      /** Moves a marker back, never forward. @returns the previous seq */
      moveBack: (userId: string, channelId: string, seq: number) =>
        move(userId, channelId, { $min: { seq } }),

      /** @returns the number of deleted markers: fewer than `limit` when none are left */
      deleteSome: (channelId: string, limit: number) => removeSome({ channelId }, limit),

      /** The same for one user. */
      deleteSomeOf: (userId: string, limit: number) => removeSome({ userId }, limit),
    };
  },
);
