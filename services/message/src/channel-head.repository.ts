import type { Head } from "@fanfare/contract";
import { defineRepository, DURABLE, ID } from "@fanfare/kernel";
import { Schema, Types } from "mongoose";
import { oneBatch, inTime } from "./message.model.ts";

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
  /** The last change of a message. */
  changedAt?: Date;
  /** The group of a thread, from its first message on. Absent: not a thread. */
  threadOf?: string;
}

type ThreadHead = HeadDocument & Required<Pick<HeadDocument, "changedAt" | "threadOf">>;

/** Position in the changed threads of one group. */
interface ChangedSince {
  groupId: string;
  after: { changedAt: Date; channelId: string };
}

const changedIn = ({ groupId, after: { changedAt, channelId } }: ChangedSince) => ({
  threadOf: groupId,
  // Lets the query use the index.
  changedAt: { $gte: changedAt },
  $or: [{ changedAt: { $gt: changedAt } }, { _id: { $gt: channelId } }],
});

function byChange(a: ThreadHead, b: ThreadHead): number {
  return a.changedAt.getTime() - b.changedAt.getTime() || (a._id < b._id ? -1 : 1);
}

/** A head to raise to. */
export interface RaisedHead extends Head {
  /** The group of a thread. */
  threadOf?: string | undefined;
}

const schema = new Schema<HeadDocument>(
  {
    _id: ID,
    seq: { type: Number, required: true },
    rev: { type: Number, required: true },
    retainedFrom: Number,
    changedAt: Date,
    threadOf: ID,
  },
  { collection: "channelHeads" },
).index(
  { threadOf: 1, changedAt: 1, _id: 1 },
  // Not of other channels, whose heads are written most often.
  { partialFilterExpression: { threadOf: { $exists: true } } },
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

    /** Most recently changed last. */
    async listChangedThreads(groups: readonly ChangedSince[], limit: number): Promise<ThreadHead[]> {
      if (groups.length > 1) {
        // Unsorted, because few threads usually match and the database doesn't need to sort them.
        const few = model.find({ $or: groups.map(changedIn) }).limit(limit);
        const found = await inTime(few.lean<ThreadHead[]>());
        if (found.length < limit) return found.sort(byChange);
      }
      const ofEach: ThreadHead[] = [];
      for (const group of groups) {
        const first = model.find(changedIn(group)).sort({ threadOf: 1, changedAt: 1, _id: 1 }).limit(limit);
        ofEach.push(...(await inTime(first.lean<ThreadHead[]>())));
      }
      return ofEach.sort(byChange).slice(0, limit);
    },

    /** Durably raises the heads of channels to at least these values. */
    async raise(heads: ReadonlyMap<string, RaisedHead>, timeoutMs: number): Promise<void> {
      const changedAt = new Date();
      const operations = [...heads].map(([channelId, { seq, rev, threadOf }]) => ({
        updateOne: {
          filter: { _id: new Types.ObjectId(channelId) },
          update: {
            $max: { seq, rev, changedAt },
            ...(threadOf !== undefined && { $set: { threadOf: new Types.ObjectId(threadOf) } }),
          },
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
