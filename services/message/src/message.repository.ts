import type { Head } from "@fanfare/contract";
import { DURABLE, firstIdAt } from "@fanfare/kernel";
import { Types, type Connection, type Model, type mongo } from "mongoose";
import { CHANGES_PER_READ, MESSAGES_PER_READ, READ_TIMEOUT_MS, WRITE_TIMEOUT_MS } from "./constants.ts";
import {
  DURABLE_WRITE,
  EXCERPT_FIELDS,
  type ExcerptDocument,
  inTime,
  type MessageChange,
  type MessageDocument,
  messageModel,
  NONCE_INDEX,
} from "./message.model.ts";

/** Mentions of these keys in a part of a channel. */
export interface Mentioned {
  channelId: string;
  afterSeq: number;
  upToSeq?: number | undefined;
  keys: readonly string[];
}

/** Receives the messages of a scan. @returns false to reject one, which ends the scan */
type Take = (message: MessageDocument) => boolean;
/** Why a scan ended: no further messages, limit reached, or a message was rejected. */
type ScanEnd = "end" | "limit" | "refused";

/** To find all messages of an author by an index that exists anyway, so that sending costs nothing more. */
const BY_NONCE = { channelId: 1, authorId: 1, nonce: 1 } as const;
const REMOVAL = { writeConcern: DURABLE, maxTimeMS: WRITE_TIMEOUT_MS } as const;

/** Queries of the messages. Everything shown to users is read with majority read concern. */
export class MessageRepository {
  readonly #model: Model<MessageDocument>;
  /** The driver's collection: mongoose documents would cost more than the insert itself. */
  readonly #native: mongo.Collection<MessageDocument>;

  constructor(database: Connection) {
    this.#model = messageModel(database);
    this.#native = database.getClient().db(database.name).collection(this.#model.collection.name);
  }

  /**
   * Stores messages durably. `ordered`: one after another, stopping at the first failure.
   * @throws MongoBulkWriteError for failed messages; those before, or all others if unordered, are stored
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
   * Durably changes a message unless it is deleted, has a later rev, or its rev is not `ifRev` (if given).
   * @throws MongoServerError when the new rev is already used by another message
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
    return inTime(this.#model.findOne({ _id: messageId, channelId }).readConcern(DURABLE_WRITE).lean());
  }

  /** `lasting` false reads from the primary, including messages that block a nonce but are not yet on a majority. */
  async findByNonce(
    channelId: string,
    authorId: string,
    nonce: string,
    lasting: boolean,
  ): Promise<MessageDocument | null> {
    return inTime(
      this.#model
        .findOne({ channelId, authorId, nonce })
        .readConcern(lasting ? DURABLE_WRITE : "local")
        .lean(),
    );
  }

  /** The next channel with messages, in the order of ids. */
  async nextChannelId(afterId: string): Promise<string | null> {
    const next = this.#native.findOne(
      { channelId: { $gt: idOf(afterId) } },
      { sort: BY_NONCE, hint: NONCE_INDEX, projection: { _id: 0, channelId: 1 } },
    );
    return (await inTime(next))?.channelId.toHexString() ?? null;
  }

  /** An author's messages in a channel in the order of their nonces. @param isFrom includes the message with this nonce */
  listAuthored(channelId: string, authorId: string, nonce: string, isFrom: boolean, limit: number) {
    const found = this.#native.find(
      {
        channelId: idOf(channelId),
        authorId: idOf(authorId),
        nonce: isFrom ? { $gte: nonce } : { $gt: nonce },
      },
      { sort: BY_NONCE, limit, readConcern: DURABLE_WRITE },
    );
    return inTime(found.toArray());
  }

  /** Estimated from collection metadata, without reading the collection. */
  estimateCount(): Promise<number> {
    return this.#model.estimatedDocumentCount().exec();
  }

  /** Those sent in a period, by their ids, which start with the second. Imported messages keep theirs. */
  countBetween(from: Date, before: Date): Promise<number> {
    const filter = { _id: { $gte: firstIdAt(from), $lt: firstIdAt(before) } };
    return inTime(this.#model.countDocuments(filter).maxTimeMS(READ_TIMEOUT_MS).exec());
  }

  /** Passes messages with a seq below `beforeSeq` to `take`, highest seq first. */
  scanBefore(channelId: string, beforeSeq: number, limit: number, take: Take): Promise<ScanEnd> {
    return this.#scan({ channelId: idOf(channelId), seq: { $lt: beforeSeq } }, { seq: -1 }, limit, take);
  }

  /** Passes messages with a seq from `fromSeq` to `take`, in order of seq. */
  scanFrom(channelId: string, fromSeq: number, limit: number, take: Take): Promise<ScanEnd> {
    return this.#scan({ channelId: idOf(channelId), seq: { $gte: fromSeq } }, { seq: 1 }, limit, take);
  }

  /** Passes messages with a rev above `afterRev` to `take`, in order of rev. */
  scanChangedSince(channelId: string, afterRev: number, limit: number, take: Take): Promise<ScanEnd> {
    const filter = { channelId: idOf(channelId), rev: { $gt: afterRev } };
    return this.#scan(filter, { rev: 1 }, limit, take, CHANGES_PER_READ);
  }

  /** Passes those of these messages that exist to `take`, newest first. */
  scanMany(messageIds: readonly string[], take: Take): Promise<ScanEnd> {
    const filter = { _id: { $in: messageIds.map(idOf) } };
    return this.#scan(filter, { _id: -1 }, messageIds.length, take);
  }

  /** Passes the pinned messages of a channel to `take`, most recently pinned first, skipping the first `skip`. */
  scanPins(channelId: string, skip: number, limit: number, take: Take): Promise<ScanEnd> {
    return this.#scan({ pinnedIn: idOf(channelId) }, { pinnedAt: -1 }, limit, take, MESSAGES_PER_READ, skip);
  }

  /** Up to `limit` messages with a seq from `fromSeq`, in order of seq. */
  async from(channelId: string, fromSeq: number, limit: number): Promise<MessageDocument[]> {
    return inTime(
      this.#model
        .find({ channelId, seq: { $gte: fromSeq } })
        .sort({ seq: 1 })
        .limit(limit)
        .readConcern(DURABLE_WRITE)
        .lean(),
    );
  }

  /** The times of up to `limit` messages with a seq from `fromSeq`, in order of seq. */
  timesFrom(
    channelId: string,
    fromSeq: number,
    limit: number,
  ): Promise<Pick<MessageDocument, "seq" | "createdAt">[]> {
    const found = this.#native.find<Pick<MessageDocument, "seq" | "createdAt">>(
      { channelId: idOf(channelId), seq: { $gte: fromSeq } },
      {
        projection: { _id: 0, seq: 1, createdAt: 1 },
        sort: { seq: 1 },
        limit,
        batchSize: limit,
        readConcern: DURABLE_WRITE,
      },
    );
    return inTime(found.toArray());
  }

  /** Messages with a rev above `afterRev`, in order of rev. */
  async changedSince(channelId: string, afterRev: number, limit: number): Promise<MessageDocument[]> {
    return inTime(
      this.#model
        .find({ channelId, rev: { $gt: afterRev } })
        .sort({ rev: 1 })
        .limit(limit)
        .readConcern(DURABLE_WRITE)
        .lean(),
    );
  }

  /** Those at these positions that aren't deleted, in no order. One query: each branch reads a few messages by their seq. */
  async excerptsAt(seqs: ReadonlyMap<string, readonly number[]>): Promise<ExcerptDocument[]> {
    const $or = [...seqs].map(([channelId, some]) => ({
      channelId: idOf(channelId),
      seq: { $in: [...some] },
      deletedAt: null,
    }));
    const options = { projection: EXCERPT_FIELDS, readConcern: DURABLE_WRITE } as const;
    return inTime(this.#native.find<ExcerptDocument>({ $or }, options).toArray());
  }

  async countPins(channelId: string): Promise<number> {
    return inTime(this.#model.countDocuments({ pinnedIn: channelId }).exec());
  }

  /** The ids of messages that mention a key, newest first. @param beforeId only lower ids */
  async idsMentioning(key: string, beforeId: string | undefined, limit: number): Promise<string[]> {
    const found = await inTime(
      this.#model
        .find({ mentionKeys: key, ...(beforeId !== undefined && { mentionedId: { $lt: beforeId } }) })
        .sort({ mentionedId: -1 })
        .limit(limit)
        .select({ mentionedId: 1, _id: 0 })
        .readConcern(DURABLE_WRITE)
        .lean(),
    );
    return found.map(({ mentionedId }) => mentionedId!.toHexString());
  }

  /**
   * The channel ids of messages that mention one of the keys of their channel, repeated per message; without those of one author.
   * @param limit across all channels
   */
  async mentionedIn(
    channels: readonly Mentioned[],
    exceptAuthorId: string,
    limit: number,
  ): Promise<string[]> {
    const $or = channels.map(({ channelId, afterSeq, upToSeq, keys }) => ({
      mentionKeys: { $in: [...keys] },
      mentionedIn: new Types.ObjectId(channelId),
      mentionedSeq: { $gt: afterSeq, ...(upToSeq !== undefined && { $lte: upToSeq }) },
      authorId: { $ne: new Types.ObjectId(exceptAuthorId) },
    }));
    const found = this.#native.find<Required<Pick<MessageDocument, "mentionedIn">>>(
      { $or },
      { projection: { mentionedIn: 1, _id: 0 }, limit, batchSize: limit, readConcern: DURABLE_WRITE },
    );
    const messages = await inTime(found.toArray());
    return messages.map(({ mentionedIn }) => mentionedIn.toHexString());
  }

  /** The highest seq and rev in use, or 0. */
  async head(channelId: string): Promise<Head> {
    const last = await this.#highest(channelId, "rev");
    if (last === null) return { seq: 0, rev: 0 };
    // The newest message was never changed, so it has the highest rev as well.
    if (last.revs.length === 1) return { seq: last.seq, rev: last.rev };
    const newest = await this.#highest(channelId, "seq");
    return { seq: newest?.seq ?? 0, rev: last.rev };
  }

  /** Reads in small batches, so that little is read in vain when `take` rejects a message. */
  #scan(
    filter: mongo.Filter<MessageDocument>,
    sort: mongo.Sort,
    limit: number,
    take: Take,
    batchSize = MESSAGES_PER_READ,
    skip = 0,
  ): Promise<ScanEnd> {
    const options = {
      sort,
      limit,
      skip,
      batchSize: Math.min(batchSize, limit),
      readConcern: DURABLE_WRITE,
    } as const;
    const cursor = this.#native.find(filter, options);
    const scan = async (): Promise<ScanEnd> => {
      let count = 0;
      try {
        for (; await cursor.hasNext();) {
          for (const message of cursor.readBufferedDocuments()) {
            if (!take(message)) return "refused";
            count += 1;
          }
        }
        return count === limit ? "limit" : "end";
      } finally {
        await cursor.close();
      }
    };
    return inTime(scan());
  }

  #highest(channelId: string, number: "seq" | "rev"): Promise<MessageDocument | null> {
    return inTime(
      this.#model
        .findOne({ channelId })
        .sort({ [number]: -1 })
        .select({ seq: 1, rev: 1, revs: 1 })
        .readConcern(DURABLE_WRITE)
        .lean(),
    );
  }

  /** Deletes those of the messages whose rev is below `belowRev`. */
  async deleteMany(messages: readonly MessageDocument[], belowRev: number): Promise<void> {
    const ids = messages.map(({ _id }) => _id);
    await this.#model.deleteMany({ _id: { $in: ids }, rev: { $lt: belowRev } }, REMOVAL);
  }

  /**
   * @param before called with the messages before they are deleted
   * @returns the number of deleted messages: fewer than `limit` when none are left
   */
  async deleteSome(
    channelId: string,
    limit: number,
    before: (messages: readonly MessageDocument[]) => Promise<unknown>,
  ): Promise<number> {
    const some = await inTime(this.#model.find({ channelId }).limit(limit).lean());
    await before(some);
    await this.#model.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } }, REMOVAL);
    return some.length;
  }

  /** The ids of those of the messages that exist and aren't deleted. */
  async findAlive(messageIds: readonly string[]): Promise<Set<string>> {
    const filter = { _id: { $in: messageIds.map(idOf) }, deletedAt: null };
    const options = { projection: { _id: 1 }, readConcern: DURABLE_WRITE } as const;
    const found = await inTime(this.#native.find(filter, options).toArray());
    return new Set(found.map(({ _id }) => _id.toHexString()));
  }
}

function idOf(id: string): Types.ObjectId {
  return new Types.ObjectId(id);
}
