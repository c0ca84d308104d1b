import type { Head } from "@fanfare/contract";
import { DURABLE } from "@fanfare/kernel";
import { Schema, type Connection, type Model, Types } from "mongoose";

/** Where a channel with old messages stood some time ago: only what is below it is removed. */
interface BoundaryDocument extends Head {
  /** The channel's id. */
  _id: Types.ObjectId;
  notedAt: Date;
}

const schema = new Schema<BoundaryDocument>(
  {
    _id: Schema.Types.ObjectId,
    seq: { type: Number, required: true },
    rev: { type: Number, required: true },
    notedAt: { type: Date, required: true },
  },
  { collection: "retentionBoundaries", versionKey: false },
);

function boundaryModel(database: Connection): Model<BoundaryDocument> {
  return database.model<BoundaryDocument>("RetentionBoundary", schema);
}

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
