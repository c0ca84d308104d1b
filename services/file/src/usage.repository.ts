import { duplicateKeyIndex } from "@fanfare/kernel";
import type { Connection, Model } from "mongoose";
import { usageModel, type UsageDocument } from "./usage.model.ts";

/** Every query of how much room files take. */
export class UsageRepository {
  readonly #model: Model<UsageDocument>;

  constructor(database: Connection) {
    this.#model = usageModel(database);
  }

  async find(of: string): Promise<UsageDocument | null> {
    return this.#model.findById(of).lean();
  }

  /** Takes room; false where that would be more than `maxBytes`. */
  async take(of: string, bytes: number, maxBytes: number): Promise<boolean> {
    if (bytes > maxBytes) return false;
    try {
      const filter = { _id: of, bytes: { $lte: maxBytes - bytes } };
      await this.#model.updateOne(
        filter,
        { $inc: { bytes }, $set: { takenAt: new Date() } },
        { upsert: true },
      );
      return true;
    } catch (error) {
      // It is there, and has less room than that.
      if (duplicateKeyIndex(error) !== null) return false;
      throw error;
    }
  }

  /** Gives room back, or takes some that has to be there. */
  async add(of: string, bytes: number): Promise<void> {
    if (bytes !== 0) await this.#model.updateOne({ _id: of }, { $inc: { bytes } }, { upsert: true });
  }

  /** Corrects the count, where it has not changed since it was read. */
  async correct({ _id, bytes, takenAt }: UsageDocument, to: number): Promise<void> {
    const unchanged = { _id, bytes, ...(takenAt !== undefined && { takenAt }) };
    await this.#model.updateOne(unchanged, { $set: { bytes: to, countedAt: new Date() } });
  }

  async setMax(of: string, maxBytes: number | null): Promise<void> {
    const update = maxBytes === null ? { $unset: { maxBytes: 1 } } : { $set: { maxBytes } };
    await this.#model.updateOne({ _id: of }, { ...update, $setOnInsert: { bytes: 0 } }, { upsert: true });
  }
}
