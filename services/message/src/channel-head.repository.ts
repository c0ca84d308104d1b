import { Types, type Connection, type Model, type mongo } from "mongoose";
import { channelHeadModel, type HeadDocument, type PendingBatch } from "./channel-head.model.ts";

/** One step of a channel's head: from one position to the next, with a batch noted as pending and others struck off. */
export interface HeadStep {
  channelId: string;
  from: { rev: number; exists: boolean };
  to: { seq: number; rev: number };
  pending: PendingBatch;
  finished: readonly string[];
}

/** Every query of the channels' heads. */
export class ChannelHeadRepository {
  readonly #model: Model<HeadDocument>;
  readonly #native: mongo.Collection<HeadDocument>;

  constructor(database: Connection) {
    this.#model = channelHeadModel(database);
    this.#native = database.getClient().db(database.name).collection(this.#model.collection.name);
  }

  async createIndexes(): Promise<void> {
    await this.#model.createIndexes();
  }

  /** Channels without a head are left out. */
  async findMany(channelIds: readonly string[]): Promise<HeadDocument[]> {
    return this.#model.find({ _id: { $in: channelIds } }).lean();
  }

  async find(channelId: string): Promise<HeadDocument | null> {
    return this.#model.findById(channelId).lean();
  }

  /**
   * Makes each step whose head is still where the step begins. Not waited for until it is on disk: the insert that follows
   * is, and comes later in the same journal.
   * @returns how many were made; @throws MongoBulkWriteError when a head that should not exist does
   */
  async advance(batchId: string, steps: readonly HeadStep[], timeoutMs: number): Promise<number> {
    const field = `pending.${batchId}`;
    const operations = steps.map(({ channelId, from, to, pending, finished }) => ({
      updateOne: {
        filter: { _id: new Types.ObjectId(channelId), rev: from.rev },
        update: {
          $set: { seq: to.seq, rev: to.rev, [field]: pending },
          ...(finished.length === 0
            ? {}
            : { $unset: Object.fromEntries(finished.map((id) => [`pending.${id}`, "" as const])) }),
        },
        upsert: !from.exists,
      },
    }));
    const { matchedCount, upsertedCount } = await this.#native.bulkWrite(operations, {
      ordered: false,
      writeConcern: { w: 1, j: false },
      maxTimeMS: timeoutMs,
    });
    return matchedCount + upsertedCount;
  }

  /** Raises a head to at least these numbers. */
  async raise(channelId: string, { seq, rev }: { seq: number; rev: number }): Promise<void> {
    await this.#model.updateOne({ _id: channelId }, { $max: { seq, rev } }, { upsert: true });
  }

  /**
   * Returns when every earlier write to these channels is durable on a majority: this write is later in the journal, and
   * waits for that itself.
   */
  async confirm(channelIds: readonly string[]): Promise<void> {
    await this.#model.updateMany(
      { _id: { $in: channelIds } },
      { $set: { confirmedAt: new Date() } },
      { writeConcern: { w: "majority", j: true } },
    );
  }

  async delete(channelId: string): Promise<void> {
    await this.#model.deleteOne({ _id: channelId });
  }
}
