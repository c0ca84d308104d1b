import { upsert } from "@fanfare/kernel";
import { Schema, type Connection, type Model, type QueryFilter, Types, type mongo } from "mongoose";
import { READ_TIMEOUT_MS, WRITE_TIMEOUT_MS } from "./constants.ts";
import { oneBatch, within } from "./database.ts";

/** A user has read a channel up to and including `seq`. */
interface ReadMarkerDocument {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  channelId: Types.ObjectId;
  seq: number;
}

const schema = new Schema<ReadMarkerDocument>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    channelId: { type: Schema.Types.ObjectId, required: true },
    seq: { type: Number, required: true },
  },
  { collection: "readMarkers", versionKey: false },
)
  .index({ userId: 1, channelId: 1 }, { unique: true, name: "user_channel" })
  .index({ channelId: 1 }, { name: "channel" });

export function readMarkerModel(database: Connection): Model<ReadMarkerDocument> {
  return database.model<ReadMarkerDocument>("ReadMarker", schema);
}

/** Queries of the read markers. */
export class ReadMarkerRepository {
  readonly #model: Model<ReadMarkerDocument>;
  /** The driver's collection: for many channels, mongoose queries would cost more than the result. */
  readonly #native: mongo.Collection<ReadMarkerDocument>;

  constructor(database: Connection) {
    this.#model = readMarkerModel(database);
    this.#native = database.getClient().db(database.name).collection(this.#model.collection.name);
  }

  /** The last read seq of a user by channel; without channels that have no marker. */
  async findMany(userId: string, channelIds: readonly string[]): Promise<Map<string, number>> {
    const found = this.#native.find<Pick<ReadMarkerDocument, "channelId" | "seq">>(
      {
        userId: new Types.ObjectId(userId),
        channelId: { $in: channelIds.map((id) => new Types.ObjectId(id)) },
      },
      { projection: { channelId: 1, seq: 1, _id: 0 }, batchSize: oneBatch(channelIds) },
    );
    const markers = await within(READ_TIMEOUT_MS, found.toArray());
    return new Map(markers.map(({ channelId, seq }) => [channelId.toHexString(), seq]));
  }

  /** Users who have read a channel up to this seq or further, without one of them. */
  async listReaders(
    { channelId, seq, exceptId }: { channelId: string; seq: number; exceptId: string },
    limit: number,
  ): Promise<string[]> {
    const found = this.#native.find<Pick<ReadMarkerDocument, "userId">>(
      {
        channelId: new Types.ObjectId(channelId),
        seq: { $gte: seq },
        userId: { $ne: new Types.ObjectId(exceptId) },
      },
      { projection: { userId: 1, _id: 0 }, limit },
    );
    const markers = await within(READ_TIMEOUT_MS, found.toArray());
    return markers.map(({ userId }) => userId.toHexString());
  }

  /** Moves a marker forward, never back. @returns the previous seq */
  async advance(userId: string, channelId: string, seq: number): Promise<number> {
    const move = () =>
      this.#model
        .findOneAndUpdate(
          { userId, channelId },
          { $max: { seq } },
          { upsert: true, returnDocument: "before", projection: { seq: 1 } },
        )
        .lean();
    const before = await within(READ_TIMEOUT_MS, upsert(move));
    return before?.seq ?? 0;
  }

  /** Moves a marker from this seq to the next one. @returns false if it isn't there */
  async advanceFrom(userId: string, channelId: string, seq: number): Promise<boolean> {
    // Users who have read nothing have no marker.
    if (seq === 0) return (await this.advance(userId, channelId, 1)) === 0;
    const moved = this.#model.updateOne({ userId, channelId, seq }, { $set: { seq: seq + 1 } });
    return (await within(READ_TIMEOUT_MS, moved)).matchedCount === 1;
  }

  /** Moves a marker back, never forward. @returns the previous seq */
  async moveBack(userId: string, channelId: string, seq: number): Promise<number> {
    const moved = this.#model
      .findOneAndUpdate(
        { userId, channelId },
        { $min: { seq } },
        { returnDocument: "before", projection: { seq: 1 } },
      )
      .lean();
    const before = await within(READ_TIMEOUT_MS, moved);
    return before?.seq ?? 0;
  }

  /** As `deleteSome`, for one user. */
  deleteSomeOf(userId: string, limit: number): Promise<number> {
    return this.#deleteSome({ userId }, limit);
  }

  /** @returns the number of deleted markers: fewer than `limit` when none are left */
  deleteSome(channelId: string, limit: number): Promise<number> {
    return this.#deleteSome({ channelId }, limit);
  }

  async #deleteSome(filter: QueryFilter<ReadMarkerDocument>, limit: number): Promise<number> {
    const options = { maxTimeMS: WRITE_TIMEOUT_MS };
    const some = await this.#model.find(filter, { _id: 1 }, options).limit(limit).lean();
    await this.#model.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } }, options);
    return some.length;
  }
}
