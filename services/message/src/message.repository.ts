import { Types, type Connection, type Model, type mongo } from "mongoose";
import { messageModel, type MessageDocument } from "./message.model.ts";

const DURABLE = { w: "majority", j: true } as const;

/** Every query of the messages. */
export class MessageRepository {
  readonly #model: Model<MessageDocument>;
  /** The driver's collection: mongoose's documents would cost more than the insert itself. */
  readonly #native: mongo.Collection<MessageDocument>;

  constructor(database: Connection) {
    this.#model = messageModel(database);
    this.#native = database.getClient().db(database.name).collection(this.#model.collection.name);
  }

  async createIndexes(): Promise<void> {
    await this.#model.createIndexes();
  }

  /** Stores as many as possible; @throws MongoBulkWriteError for the rest. */
  async insertMany(messages: readonly MessageDocument[], timeoutMs: number): Promise<void> {
    await this.#native.insertMany(messages, {
      ordered: false,
      writeConcern: DURABLE,
      maxTimeMS: timeoutMs,
      ignoreUndefined: true,
      forceServerObjectId: true,
    });
  }

  /** Changes a message unless it is deleted or has a later change. */
  async change(
    channelId: string,
    messageId: string,
    rev: number,
    set: Partial<MessageDocument>,
    timeoutMs: number,
  ): Promise<MessageDocument | null> {
    return this.#native.findOneAndUpdate(
      {
        _id: new Types.ObjectId(messageId),
        channelId: new Types.ObjectId(channelId),
        rev: { $lt: rev },
        deletedAt: null,
      },
      { $set: { ...set, rev } },
      { returnDocument: "after", writeConcern: DURABLE, maxTimeMS: timeoutMs },
    );
  }

  async find(channelId: string, messageId: string): Promise<MessageDocument | null> {
    return this.#model.findOne({ _id: messageId, channelId }).lean();
  }

  async findByNonce(channelId: string, authorId: string, nonce: string): Promise<MessageDocument | null> {
    return this.#model.findOne({ channelId, authorId, nonce }).lean();
  }

  async findMany(messageIds: readonly string[]): Promise<MessageDocument[]> {
    return this.#model.find({ _id: { $in: messageIds } }).lean();
  }

  /** Up to `limit` messages with a seq below `beforeSeq`, the nearest ones, in the order of seq. */
  async before(channelId: string, beforeSeq: number, limit: number): Promise<MessageDocument[]> {
    const page = await this.#model
      .find({ channelId, seq: { $lt: beforeSeq } })
      .sort({ seq: -1 })
      .limit(limit)
      .lean();
    return page.toReversed();
  }

  /** Up to `limit` messages with a seq from `fromSeq` on, in the order of seq. */
  async from(channelId: string, fromSeq: number, limit: number): Promise<MessageDocument[]> {
    return this.#model
      .find({ channelId, seq: { $gte: fromSeq } })
      .sort({ seq: 1 })
      .limit(limit)
      .lean();
  }

  /** Messages whose last change is later than `afterRev`, in the order of rev. */
  async changedSince(channelId: string, afterRev: number, limit: number): Promise<MessageDocument[]> {
    return this.#model
      .find({ channelId, rev: { $gt: afterRev } })
      .sort({ rev: 1 })
      .limit(limit)
      .lean();
  }

  /** Which of these seqs are those of a message. */
  async storedSeqs(channelId: string, seqs: readonly number[]): Promise<Set<number>> {
    const found = await this.#model
      .find({ channelId, seq: { $in: seqs } })
      .select({ seq: 1 })
      .lean();
    return new Set(found.map(({ seq }) => seq));
  }

  /** Which of these revs are the latest of a message. */
  async storedRevs(channelId: string, revs: readonly number[]): Promise<Set<number>> {
    const found = await this.#model
      .find({ channelId, rev: { $in: revs } })
      .select({ rev: 1 })
      .lean();
    return new Set(found.map(({ rev }) => rev));
  }

  /** The highest numbers in use; 0 where there is no message. */
  async highest(channelId: string): Promise<{ seq: number; rev: number }> {
    const [newest, changed] = await Promise.all([
      this.#model.findOne({ channelId }).sort({ seq: -1 }).select({ seq: 1 }).lean(),
      this.#model.findOne({ channelId }).sort({ rev: -1 }).select({ rev: 1 }).lean(),
    ]);
    return { seq: newest?.seq ?? 0, rev: changed?.rev ?? 0 };
  }

  /** One of these channels that has a message, or null. */
  async anyOf(channelIds: readonly string[]): Promise<string | null> {
    const found = await this.#model
      .findOne({ channelId: { $in: channelIds } })
      .select({ channelId: 1 })
      .lean();
    return found?.channelId.toHexString() ?? null;
  }

  /** @returns how many were deleted: fewer than `limit` when none is left */
  async deleteSome(channelId: string, limit: number): Promise<number> {
    const some = await this.#model.find({ channelId }).select({ _id: 1 }).limit(limit).lean();
    await this.#model.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
    return some.length;
  }
}
