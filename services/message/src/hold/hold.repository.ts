import type { LegalHold, PlaceLine } from "@fanfare/contract";
import { defineRepository, ID, REQUIRED_ID, DURABLE } from "@fanfare/kernel";
import { Schema, Types, type Connection, type mongo } from "mongoose";
import { WRITE_TIMEOUT_MS } from "../constants.ts";
import { DURABLE_WRITE, inTime, type MessageDocument } from "../message.model.ts";

interface HoldDocument {
  _id: string;
  userId: string;
  name: string;
  reason: string;
  startedBy: string;
  startedAt: Date;
  endedBy?: string;
  endedAt?: Date;
  /** Equals `userId` while the hold is active, so that the index only contains active holds. */
  heldUserId?: string;
}

const holdSchema = new Schema<HoldDocument>(
  {
    userId: REQUIRED_ID,
    name: { type: String, required: true },
    reason: { type: String, required: true },
    startedBy: REQUIRED_ID,
    startedAt: { type: Date, required: true },
    endedBy: ID,
    endedAt: Date,
    heldUserId: ID,
  },
  { collection: "legalHolds" },
).index({ heldUserId: 1 }, { sparse: true, name: "held" });

/** The embedded database uses a sparse index for ranges, but not for `$exists`. */
const ANY_ID = { $gte: "0".repeat(24) };

export type HoldRepository = ReturnType<typeof createHoldRepository>;

/** Queries of the legal holds. */
export const createHoldRepository = defineRepository(
  { name: "LegalHold", schema: holdSchema },
  ({ model: holds, insert, change }) => ({
    insert,

    /** Newest first. */
    listPage: (beforeId: string | undefined, limit: number) =>
      holds
        .find(beforeId === undefined ? {} : { _id: { $lt: beforeId } })
        .sort({ _id: -1 })
        .limit(limit)
        .lean(),

    find: (holdId: string, userId: string) => holds.findOne({ _id: holdId, userId }).lean(),

    countActive: (max: number) => holds.countDocuments({ heldUserId: ANY_ID }, { limit: max }),

    /** Returns which of the users are under a hold. */
    async heldAmong(userIds: readonly string[]): Promise<Set<string>> {
      const found = await holds.find({ heldUserId: { $in: userIds } }, { heldUserId: 1 }).lean();
      return new Set(found.flatMap(({ heldUserId }) => heldUserId ?? []));
    },

    /** @returns null when it doesn't exist or has ended */
    end: (holdId: string, endedBy: string) =>
      change(
        { _id: holdId, heldUserId: { $exists: true } },
        { $set: { endedBy, endedAt: new Date() }, $unset: { heldUserId: 1 } },
      ),
  }),
);

export function presentHold(hold: HoldDocument): LegalHold {
  const { _id: id, userId, name, reason, startedBy, startedAt, endedBy = null, endedAt } = hold;
  return {
    id,
    userId,
    name,
    reason,
    startedBy,
    startedAt: startedAt.toISOString(),
    endedBy,
    endedAt: endedAt?.toISOString() ?? null,
  };
}

/** A message as it was before its deletion; `deletedAt` is when it was deleted. */
export type HeldMessage = MessageDocument & {
  deletedAt: Date;
  /** Where it was sent, if the channel has been deleted too. */
  place?: PlaceLine;
};

// Only for its indexes: the driver writes and reads the documents as they are.
const heldMessageSchema = new Schema<HeldMessage>(
  { authorId: Schema.Types.ObjectId, channelId: Schema.Types.ObjectId },
  { collection: "heldMessages", versionKey: false },
)
  .index({ authorId: 1, _id: 1 }, { name: "author" })
  .index({ channelId: 1 }, { name: "channel" });

/** Queries of the deleted messages that legal holds keep. No action that users can call reads them. */
export class HeldMessageRepository {
  readonly #native: mongo.Collection<HeldMessage>;

  constructor(database: Connection) {
    const { collection } = database.model<HeldMessage>("HeldMessage", heldMessageSchema);
    this.#native = database.getClient().db(database.name).collection(collection.name);
  }

  /** Durable. Keeping a message again replaces it. */
  async keep(messages: readonly HeldMessage[]): Promise<void> {
    const operations = messages.map(({ _id, ...rest }) => ({
      replaceOne: { filter: { _id }, replacement: rest, upsert: true },
    }));
    await this.#native.bulkWrite(operations, {
      ordered: false,
      writeConcern: DURABLE,
      maxTimeMS: WRITE_TIMEOUT_MS,
      ignoreUndefined: true,
    });
  }

  /** Stores where the messages of a deleted channel were sent. */
  async setPlace(place: PlaceLine): Promise<void> {
    await this.#native.updateMany(
      { channelId: new Types.ObjectId(place.id) },
      { $set: { place } },
      { writeConcern: DURABLE, maxTimeMS: WRITE_TIMEOUT_MS },
    );
  }

  /** Sorted by id. */
  list(authorId: string, afterId: string | null, limit: number): Promise<HeldMessage[]> {
    const filter = {
      authorId: new Types.ObjectId(authorId),
      ...(afterId !== null && { _id: { $gt: new Types.ObjectId(afterId) } }),
    };
    const found = this.#native.find(filter, { sort: { _id: 1 }, limit, readConcern: DURABLE_WRITE });
    return inTime(found.toArray());
  }

  async find(messageId: string): Promise<HeldMessage | null> {
    return inTime(this.#native.findOne({ _id: new Types.ObjectId(messageId) }));
  }

  /** Returns which of the messages are kept. */
  async findIds(messageIds: readonly string[]): Promise<Set<string>> {
    if (messageIds.length === 0) return new Set();
    const _id = { $in: messageIds.map((id) => new Types.ObjectId(id)) };
    const found = this.#native.find({ _id }, { projection: { _id: 1 } }).toArray();
    return new Set((await inTime(found)).map((message) => message._id.toHexString()));
  }

  async delete(messageIds: readonly string[]): Promise<void> {
    const _id = { $in: messageIds.map((id) => new Types.ObjectId(id)) };
    await this.#native.deleteMany({ _id }, { writeConcern: DURABLE, maxTimeMS: WRITE_TIMEOUT_MS });
  }
}
