import type { Head } from "@fanfare/contract";
import { defineRepository, ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** Where a channel with old messages stood some time ago: only what is below it is removed. */
interface BoundaryDocument extends Head {
  /** The channel's id. */
  _id: string;
  notedAt: Date;
}

const schema = new Schema<BoundaryDocument>(
  {
    _id: ID,
    seq: { type: Number, required: true },
    rev: { type: Number, required: true },
    notedAt: { type: Date, required: true },
  },
  { collection: "retentionBoundaries" },
);

export type RetentionRepository = ReturnType<typeof createRetentionRepository>;

/** Every query of the boundaries. */
export const createRetentionRepository = defineRepository(
  { name: "RetentionBoundary", schema },
  ({ model: boundaries }) => ({
    find(channelId: string): Promise<BoundaryDocument | null> {
      return boundaries.findById(channelId).lean().exec();
    },

    async put(channelId: string, { seq, rev }: Head, notedAt: Date): Promise<void> {
      await boundaries.updateOne({ _id: channelId }, { $set: { seq, rev, notedAt } }, { upsert: true });
    },

    /** @returns how many were deleted, which is one at most */
    async deleteSome(channelId: string): Promise<number> {
      return (await boundaries.deleteOne({ _id: channelId })).deletedCount;
    },
  }),
);
