import type { Reaction } from "@fanfare/contract";
import { DURABLE, duplicateKeyIndex } from "@fanfare/kernel";
import { Schema, type Connection, type Model, Types } from "mongoose";
import { READ_TIMEOUT_MS } from "../bounds.ts";
import { LASTING, within } from "../database.ts";

/** One user's reaction with one emoji. What a message shows of them is counted from these. */
interface ReactionDocument {
  _id: Types.ObjectId;
  channelId: Types.ObjectId;
  messageId: Types.ObjectId;
  emoji: string;
  userId: Types.ObjectId;
}

const schema = new Schema<ReactionDocument>(
  {
    channelId: { type: Schema.Types.ObjectId, required: true },
    messageId: { type: Schema.Types.ObjectId, required: true },
    emoji: { type: String, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
  },
  { collection: "reactions", versionKey: false },
)
  .index({ messageId: 1, emoji: 1, userId: 1 }, { unique: true, name: "message_emoji_user" })
  .index({ userId: 1, messageId: 1 }, { name: "user_message" })
  .index({ channelId: 1 }, { name: "channel" });

function reactionModel(database: Connection): Model<ReactionDocument> {
  return database.model<ReactionDocument>("Reaction", schema);
}

export interface OneReaction {
  channelId: string;
  messageId: string;
  emoji: string;
  userId: string;
}

/** Every query of the reactions. */
export class ReactionRepository {
  readonly #model: Model<ReactionDocument>;

  constructor(database: Connection) {
    this.#model = reactionModel(database);
  }

  async add({ channelId, messageId, emoji, userId }: OneReaction): Promise<void> {
    const added = this.#model.updateOne(
      { messageId, emoji, userId },
      { $setOnInsert: { channelId: new Types.ObjectId(channelId) } },
      { upsert: true, writeConcern: DURABLE },
    );
    await within(READ_TIMEOUT_MS, added).catch((error: unknown) => {
      // Two upserts at once: it is there.
      if (duplicateKeyIndex(error) === null) throw error;
    });
  }

  /** @throws MongoBulkWriteError when one of them is there already */
  async insertMany(reactions: readonly ReactionDocument[]): Promise<void> {
    await this.#model.collection.insertMany([...reactions], { writeConcern: DURABLE, ordered: false });
  }

  async remove({ messageId, emoji, userId }: OneReaction): Promise<void> {
    await read(this.#model.deleteOne({ messageId, emoji, userId }, { writeConcern: DURABLE }));
  }

  /** The different emoji on a message: one step of the index each, however many users there are. */
  async emojis(messageId: string, max: number): Promise<string[]> {
    const emojis: string[] = [];
    while (emojis.length < max) {
      const next = await read(
        this.#model
          .findOne({ messageId, emoji: { $gt: emojis.at(-1) ?? "" } })
          .sort({ emoji: 1 })
          .select({ emoji: 1 })
          .readConcern(LASTING)
          .lean(),
      );
      if (next === null) break;
      emojis.push(next.emoji);
    }
    return emojis;
  }

  /** null: nobody any more. */
  async count(messageId: string, emoji: string, usersShown: number): Promise<Reaction | null> {
    const [count, userIds] = await Promise.all([
      read(
        this.#model
          .countDocuments({ messageId: new Types.ObjectId(messageId), emoji })
          .readConcern(LASTING)
          .exec(),
      ),
      this.users(messageId, emoji, undefined, usersShown),
    ]);
    return count === 0 ? null : { emoji, count: Math.max(count, userIds.length), userIds };
  }

  /** In the order of their ids. */
  async users(
    messageId: string,
    emoji: string,
    afterUserId: string | undefined,
    limit: number,
  ): Promise<string[]> {
    const found = await read(
      this.#model
        .find({ messageId, emoji, ...(afterUserId !== undefined && { userId: { $gt: afterUserId } }) })
        .sort({ userId: 1 })
        .select({ userId: 1 })
        .limit(limit)
        .readConcern(LASTING)
        .lean(),
    );
    return found.map(({ userId }) => userId.toHexString());
  }

  /** What one user has reacted with. */
  async ofUser(
    userId: string,
    messageIds: readonly string[],
  ): Promise<{ channelId: string; messageId: string; emoji: string }[]> {
    const found = await read(
      this.#model
        .find({ userId, messageId: { $in: messageIds } })
        .readConcern(LASTING)
        .lean(),
    );
    return found.map(({ channelId, messageId, emoji }) => ({
      channelId: channelId.toHexString(),
      messageId: messageId.toHexString(),
      emoji,
    }));
  }

  /** @returns how many were deleted: fewer than `limit` when none is left */
  async deleteSome(channelId: string, limit: number): Promise<number> {
    return this.#deleteSome({ channelId: new Types.ObjectId(channelId) }, limit);
  }

  /** The same for one message. */
  async deleteSomeOf(messageId: string, limit: number): Promise<number> {
    return this.#deleteSome({ messageId: new Types.ObjectId(messageId) }, limit);
  }

  async deleteOfMany(messageIds: readonly string[]): Promise<void> {
    await this.#model.deleteMany({ messageId: { $in: messageIds } });
  }

  async #deleteSome(filter: Partial<ReactionDocument>, limit: number): Promise<number> {
    const some = await this.#model.find(filter).select({ _id: 1 }).limit(limit).lean();
    await this.#model.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
    return some.length;
  }
}

function read<T>(query: PromiseLike<T>): Promise<T> {
  return within(READ_TIMEOUT_MS, query);
}
