import type { Head } from "@fanfare/contract";
import { defineRepository, DURABLE, ID } from "@fanfare/kernel";
import { Schema, Types } from "mongoose";
import { oneBatch, inTime } from "./database.ts";

/**
 * The head of a channel, for lists of many channels: never below what was acknowledged. It can be ahead of the messages until the
 * next one is stored, so it must not be used to assign numbers.
 */
interface HeadDocument {
  /** The channel id. */
  _id: string;
  seq: number;
  rev: number;
  /** Older messages have been or are being removed by retention. Absent: none were. */
  retainedFrom?: number;
}

const schema = new Schema<HeadDocument>(
  {
    _id: ID,
    seq: { type: Number, required: true },
    rev: { type: Number, required: true },
    retainedFrom: Number,
  },
  { collection: "channelHeads" },
);

export type ChannelHeadRepository = ReturnType<typeof createChannelHeadRepository>;

/** Queries of the collection channelHeads. */
export const createChannelHeadRepository = defineRepository(
  { name: "ChannelHead", schema },
  ({ model, native, fromNative, update, remove }) => ({
    /** Omits channels without a head. */
    async findMany(channelIds: readonly string[]): Promise<HeadDocument[]> {
      const _id = { $in: channelIds.map((id) => new Types.ObjectId(id)) };
      return fromNative(await inTime(native.find({ _id }, { batchSize: oneBatch(channelIds) }).toArray()));
    },

    find: (channelId: string): Promise<HeadDocument | null> => inTime(model.findById(channelId).lean()),

    /** Durably raises the heads of channels to at least these values. */
    async raise(heads: ReadonlyMap<string, Head>, timeoutMs: number): Promise<void> {
      const operations = [...heads].map(([channelId, { seq, rev }]) => ({
        updateOne: {
          filter: { _id: new Types.ObjectId(channelId) },
          update: { $max: { seq, rev } },
          upsert: true,
        },
      }));
      await native.bulkWrite(operations, { ordered: false, writeConcern: DURABLE, maxTimeMS: timeoutMs });
    },

    /** Messages with a lower seq count as read and can be removed. */
    retainFrom: (channelId: string, seq: number) =>
      update({ _id: channelId }, { $max: { retainedFrom: seq } }),

    delete: (channelId: string) => remove({ _id: channelId }),
  }),
);
