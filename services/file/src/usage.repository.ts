import { defineRepository, nullIfDuplicate } from "@fanfare/kernel";
import { Schema } from "mongoose";

interface UsageDocument {
  /** `user:<id>` or `group:<id>`. */
  _id: string;
  bytes: number;
  /** Absent: the default of the policy. */
  maxBytes?: number;
  /** When space was last taken. */
  takenAt?: Date;
  /** When it was last recounted from the files. */
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

/** Queries of the collection of storage usage. */
export const createUsageRepository = defineRepository(
  { name: "FileUsage", schema, durable: false },
  ({ model: usages }) => ({
    async find(of: string): Promise<UsageDocument | null> {
      return usages.findById(of).lean();
    },

    /** The total size of all files; each belongs to a user. */
    async sumOfUsers(): Promise<number> {
      const [sum] = await usages.aggregate<{ bytes: number }>([
        { $match: { _id: { $gte: "user:", $lt: "user;" } } },
        { $group: { _id: null, bytes: { $sum: "$bytes" } } },
      ]);
      return sum?.bytes ?? 0;
    },

    /** Takes space. @returns false when that would exceed `maxBytes` */
    async take(of: string, bytes: number, maxBytes: number): Promise<boolean> {
      if (bytes > maxBytes) return false;
      const filter = { _id: of, bytes: { $lte: maxBytes - bytes } };
      const change = { $inc: { bytes }, $set: { takenAt: new Date() } };
      // On a duplicate the document exists but has too little space left.
      return (await nullIfDuplicate(usages.updateOne(filter, change, { upsert: true }))) !== null;
    },

    /** Frees space, or takes space unconditionally. */
    async add(of: string, bytes: number): Promise<void> {
      if (bytes !== 0) await usages.updateOne({ _id: of }, { $inc: { bytes } }, { upsert: true });
    },

    /** Corrects the counter unless it has changed since it was read. */
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
