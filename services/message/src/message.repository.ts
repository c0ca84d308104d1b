import type { Head } from "@fanfare/contract";
import { Types, type Connection, type Model, type mongo } from "mongoose";
import { DURABLE, LASTING } from "./durability.ts";
import { READ_TIMEOUT_MS } from "./limits.ts";
import { messageModel, type MessageChange, type MessageDocument } from "./message.model.ts";
import { within } from "./within.ts";

/** Mentions of these keys in a channel after a seq. */
export interface Mentioned {
  channelId: string;
  afterSeq: number;
  keys: readonly string[];
}

/** Every query of the messages. What is shown to anybody is read as it is on disk, on a majority of the database's members. */
export class MessageRepository {
  readonly #model: Model<MessageDocument>;
  /** The driver's collection: mongoose's documents would cost more than the insert itself. */
  readonly #native: mongo.Collection<MessageDocument>;

  constructor(database: Connection) {
    this.#model = messageModel(database);
    this.#native = database.getClient().db(database.name).collection(this.#model.collection.name);
  }

  /**
   * Stores messages durably. `ordered`: one after the other, and none after the first that is refused.
   * @throws MongoBulkWriteError for those that were refused; the others before it, or all others, are stored
   */
  async insertMany(messages: readonly MessageDocument[], ordered: boolean, timeoutMs: number): Promise<void> {
    await this.#native.insertMany(messages, {
      ordered,
      writeConcern: DURABLE,
      maxTimeMS: timeoutMs,
      ignoreUndefined: true,
      forceServerObjectId: true,
    });
  }

  /**
   * Durably changes a message, unless it is deleted, has a later change, or `ifRev` is given and is not that of its last one.
   * @throws MongoServerError when the number is that of another message's change
   */
  async change(
    channelId: string,
    messageId: string,
    rev: number,
    change: MessageChange,
    timeoutMs: number,
    ifRev?: number,
  ): Promise<MessageDocument | null> {
    const set = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const unset = Object.keys(change).filter((name) => !(name in set));
    return this.#native.findOneAndUpdate(
      {
        _id: new Types.ObjectId(messageId),
        channelId: new Types.ObjectId(channelId),
        rev: { $lt: rev, ...(ifRev !== undefined && { $eq: ifRev }) },
        deletedAt: null,
      },
      {
        $set: { ...set, rev },
        $push: { revs: rev },
        ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((name) => [name, ""])) }),
      },
      { returnDocument: "after", writeConcern: DURABLE, maxTimeMS: timeoutMs },
    );
  }

  async find(channelId: string, messageId: string): Promise<MessageDocument | null> {
    return read(this.#model.findOne({ _id: messageId, channelId }).readConcern(LASTING).lean());
  }

  /** `lasting` false: as the primary has it, which includes what a unique index refuses but is not on disk yet. */
  async findByNonce(
    channelId: string,
    authorId: string,
    nonce: string,
    lasting: boolean,
  ): Promise<MessageDocument | null> {
    return read(
      this.#model
        .findOne({ channelId, authorId, nonce })
        .readConcern(lasting ? LASTING : "local")
        .lean(),
    );
  }

  /** Up to `limit` messages with a seq below `beforeSeq`, the nearest ones, in the order of seq. */
  async before(channelId: string, beforeSeq: number, limit: number): Promise<MessageDocument[]> {
    const page = await read(
      this.#model
        .find({ channelId, seq: { $lt: beforeSeq } })
        .sort({ seq: -1 })
        .limit(limit)
        .readConcern(LASTING)
        .lean(),
    );
    return page.toReversed();
  }

  /** Up to `limit` messages with a seq from `fromSeq` on, in the order of seq. */
  async from(channelId: string, fromSeq: number, limit: number): Promise<MessageDocument[]> {
    return read(
      this.#model
        .find({ channelId, seq: { $gte: fromSeq } })
        .sort({ seq: 1 })
        .limit(limit)
        .readConcern(LASTING)
        .lean(),
    );
  }

  /** Messages whose last change is later than `afterRev`, in the order of rev. */
  async changedSince(channelId: string, afterRev: number, limit: number): Promise<MessageDocument[]> {
    return read(
      this.#model
        .find({ channelId, rev: { $gt: afterRev } })
        .sort({ rev: 1 })
        .limit(limit)
        .readConcern(LASTING)
        .lean(),
    );
  }

  async findMany(messageIds: readonly string[]): Promise<MessageDocument[]> {
    return read(
      this.#model
        .find({ _id: { $in: messageIds } })
        .readConcern(LASTING)
        .lean(),
    );
  }

  /** The last pinned first. */
  async pins(channelId: string, limit: number): Promise<MessageDocument[]> {
    return read(
      this.#model
        .find({ pinnedIn: channelId })
        .sort({ pinnedAt: -1 })
        .limit(limit)
        .readConcern(LASTING)
        .lean(),
    );
  }

  async countPins(channelId: string): Promise<number> {
    return read(this.#model.countDocuments({ pinnedIn: channelId }).exec());
  }

  /** Messages that mention a key, newest first. @param beforeId only those with a lower id */
  async mentioning(key: string, beforeId: string | undefined, limit: number): Promise<MessageDocument[]> {
    return read(
      this.#model
        .find({ mentionKeys: key, ...(beforeId !== undefined && { mentionedId: { $lt: beforeId } }) })
        .sort({ mentionedId: -1 })
        .limit(limit)
        .readConcern(LASTING)
        .lean(),
    );
  }

  /**
   * The channels of messages that mention any of the keys of their channel, once for each such message; without those of
   * one author.
   * @param limit of all channels together
   */
  async mentionedIn(
    channels: readonly Mentioned[],
    exceptAuthorId: string,
    limit: number,
  ): Promise<string[]> {
    const $or = channels.map(({ channelId, afterSeq, keys }) => ({
      mentionKeys: { $in: [...keys] },
      mentionedIn: new Types.ObjectId(channelId),
      mentionedSeq: { $gt: afterSeq },
      authorId: { $ne: new Types.ObjectId(exceptAuthorId) },
    }));
    const found = this.#native.find<Required<Pick<MessageDocument, "mentionedIn">>>(
      { $or },
      { projection: { mentionedIn: 1, _id: 0 }, limit, batchSize: limit, readConcern: LASTING },
    );
    const messages = await within(READ_TIMEOUT_MS, found.toArray());
    return messages.map(({ mentionedIn }) => mentionedIn.toHexString());
  }

  /** The highest numbers in use; 0 where there is no message. */
  async head(channelId: string): Promise<Head> {
    const last = await this.#highest(channelId, "rev");
    if (last === null) return { seq: 0, rev: 0 };
    // What was only created is the newest message, because nothing happened after it.
    if (last.revs.length === 1) return { seq: last.seq, rev: last.rev };
    const newest = await this.#highest(channelId, "seq");
    return { seq: newest?.seq ?? 0, rev: last.rev };
  }

  #highest(channelId: string, number: "seq" | "rev"): Promise<MessageDocument | null> {
    return read(
      this.#model
        .findOne({ channelId })
        .sort({ [number]: -1 })
        .select({ seq: 1, rev: 1, revs: 1 })
        .readConcern(LASTING)
        .lean(),
    );
  }

  /** Those of the messages whose last change is below `rev`. */
  async deleteMany(messages: readonly MessageDocument[], belowRev: number): Promise<void> {
    const ids = messages.map(({ _id }) => _id);
    await this.#model.deleteMany({ _id: { $in: ids }, rev: { $lt: belowRev } }, { writeConcern: DURABLE });
  }

  /** @returns how many were deleted: fewer than `limit` when none is left */
  async deleteSome(channelId: string, limit: number): Promise<number> {
    const some = await this.#model.find({ channelId }).select({ _id: 1 }).limit(limit).lean();
    await this.#model.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
    return some.length;
  }
}

function read<T>(query: PromiseLike<T>): Promise<T> {
  return within(READ_TIMEOUT_MS, query);
}
