import { defineRepository, unlessDuplicate } from "@fanfare/kernel";
import { Schema } from "mongoose";

interface UsageDocument {
  /** `user:<id>` or `group:<id>`. */
  _id: string;
  bytes: number;
  /** Absent: what the policy says. */
  maxBytes?: number;
  /** When room was last taken. */
  takenAt?: Date;
  /** When it was last counted from the files themselves. */
  countedAt?: Date;
}

const schema = new Schema<UsageDocument>(
  {
    _id: { type: String, required: true },
    bytes: { type: Number, required: true },
    maxBytes: Number,
    takenAt: Date,
    countedAt: Date,
  },
  { collection: "fileUsage" },
);

export type UsageRepository = ReturnType<typeof createUsageRepository>;

/** Every query of how much room files take. */
export const createUsageRepository = defineRepository(
  { name: "FileUsage", schema, durable: false },
  ({ model: usages }) => ({
    async find(of: string): Promise<UsageDocument | null> {
      return usages.findById(of).lean();
    },

    /** What the files of all users take, which is all there are: each has an owner. */
    async sumOfUsers(): Promise<number> {
      const [sum] = await usages.aggregate<{ bytes: number }>([
        { $match: { _id: { $gte: "user:", $lt: "user;" } } },
        { $group: { _id: null, bytes: { $sum: "$bytes" } } },
      ]);
      return sum?.bytes ?? 0;
    },

    /** Takes room; false where that would be more than `maxBytes`. */
    async take(of: string, bytes: number, maxBytes: number): Promise<boolean> {
      if (bytes > maxBytes) return false;
      const filter = { _id: of, bytes: { $lte: maxBytes - bytes } };
      const change = { $inc: { bytes }, $set: { takenAt: new Date() } };
      // A duplicate: it is there, and has less room than that.
      return (await unlessDuplicate(usages.updateOne(filter, change, { upsert: true }))) !== null;
    },

    /** Gives room back, or takes some that has to be there. */
    async add(of: string, bytes: number): Promise<void> {
      if (bytes !== 0) await usages.updateOne({ _id: of }, { $inc: { bytes } }, { upsert: true });
    },

    /** Corrects the count, where it has not changed since it was read. */
    async correct({ _id, bytes, takenAt }: UsageDocument, to: number): Promise<void> {
      const unchanged = { _id, bytes, ...(takenAt !== undefined && { takenAt }) };
      await usages.updateOne(unchanged, { $set: { bytes: to, countedAt: new Date() } });
    },

    async setMax(of: string, maxBytes: number | null): Promise<void> {
      const update = maxBytes === null ? { $unset: { maxBytes: 1 } } : { $set: { maxBytes } };
      await usages.updateOne({ _id: of }, { ...update, $setOnInsert: { bytes: 0 } }, { upsert: true });
    },
  }),
);
