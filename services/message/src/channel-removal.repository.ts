import { Types, type Connection, type Model } from "mongoose";
import { channelRemovalModel, type ChannelRemovalDocument } from "./channel-removal.model.ts";

/** Every query of the removals that are under way. */
export class ChannelRemovalRepository {
  readonly #model: Model<ChannelRemovalDocument>;

  constructor(database: Connection) {
    this.#model = channelRemovalModel(database);
  }

  async add(channelIds: readonly string[], requestedAt: Date): Promise<void> {
    if (channelIds.length === 0) return;
    const upserts = channelIds.map((id) => ({
      updateOne: {
        filter: { _id: new Types.ObjectId(id) },
        update: { $setOnInsert: { requestedAt } },
        upsert: true,
      },
    }));
    await this.#model.bulkWrite(upserts, { ordered: false });
  }

  /** The longest waiting first. */
  async findBefore(before: Date, limit: number): Promise<{ channelId: string; requestedAt: Date }[]> {
    const found = this.#model.find({ requestedAt: { $lt: before } }).sort({ requestedAt: 1 });
    const removals = await found.limit(limit).lean();
    return removals.map(({ _id, requestedAt }) => ({ channelId: _id.toHexString(), requestedAt }));
  }

  async delete(channelId: string): Promise<void> {
    await this.#model.deleteOne({ _id: channelId });
  }
}
