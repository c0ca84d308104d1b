import type { Head } from "@fanfare/contract";
import { Types, type Connection, type Model } from "mongoose";
import { DURABLE } from "../durability.ts";
import { boundaryModel, type BoundaryDocument } from "./retention.model.ts";

/** Every query of the boundaries. */
export class RetentionRepository {
  readonly #model: Model<BoundaryDocument>;

  constructor(database: Connection) {
    this.#model = boundaryModel(database);
  }

  find(channelId: string): Promise<BoundaryDocument | null> {
    return this.#model.findById(channelId).lean().exec();
  }

  async put(channelId: string, { seq, rev }: Head, notedAt: Date): Promise<void> {
    await this.#model.updateOne(
      { _id: new Types.ObjectId(channelId) },
      { $set: { seq, rev, notedAt } },
      { upsert: true, writeConcern: DURABLE },
    );
  }

  /** @returns how many were deleted, which is one at most */
  async deleteSome(channelId: string): Promise<number> {
    return (await this.#model.deleteOne({ _id: channelId })).deletedCount;
  }
}
