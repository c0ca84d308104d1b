import type { Reaction } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { DURABLE_WRITE, inTime } from "../message.model.ts";

/** One user's reaction with one emoji. The reactions shown on messages are counted from these. */
interface ReactionDocument {
  _id: string;
  channelId: string;
  messageId: string;
  emoji: string;
  userId: string;
}

const reactionSchema = new Schema<ReactionDocument>(
  {
    channelId: REQUIRED_ID,
    messageId: REQUIRED_ID,
    emoji: { type: String, required: true },
    userId: REQUIRED_ID,
  },
  { collection: "reactions" },
)
  .index({ messageId: 1, emoji: 1, userId: 1 }, { unique: true, name: "message_emoji_user" })
  .index({ userId: 1, messageId: 1 }, { name: "user_message" })
  .index({ channelId: 1 }, { name: "channel" });

interface OneReaction {
  channelId: string;
  messageId: string;
  emoji: string;
  userId: string;
}

export type ReactionRepository = ReturnType<typeof createReactionRepository>;

/** Queries of the reactions. */
export const createReactionRepository = defineRepository(
  { name: "Reaction", schema: reactionSchema },
  ({ model: reactions, insertMany, removeSome, removeAll }) => {
    /** Sorted by user id. */
    const users = async (
      messageId: string,
      emoji: string,
      afterUserId: string | undefined,
      limit: number,
    ): Promise<string[]> => {
      const found = await inTime(
        reactions
          .find({ messageId, emoji, ...(afterUserId !== undefined && { userId: { $gt: afterUserId } }) })
          .sort({ userId: 1 })
          .select({ userId: 1 })
          .limit(limit)
          .readConcern(DURABLE_WRITE)
          .lean(),
      );
      return found.map(({ userId }) => userId);
    };

    return {
      async add({ channelId, messageId, emoji, userId }: OneReaction): Promise<void> {
        const change = { $setOnInsert: { channelId } };
        await inTime(reactions.updateOne({ messageId, emoji, userId }, change, { upsert: true }));
      },

      /** @throws MongoBulkWriteError when one of them exists */
      insertMany,

      async remove({ messageId, emoji, userId }: OneReaction): Promise<void> {
        await inTime(reactions.deleteOne({ messageId, emoji, userId }));
      },

      removeOf: (messageId: string, userId: string, emojis: readonly string[]) =>
        removeAll({ userId, messageId, emoji: { $in: emojis } }),

      /** The distinct emoji on a message: one index seek each, regardless of the number of users. */
      async emojis(messageId: string, max: number): Promise<string[]> {
        const emojis: string[] = [];
        while (emojis.length < max) {
          const next = await inTime(
            reactions
              .findOne({ messageId, emoji: { $gt: emojis.at(-1) ?? "" } })
              .sort({ emoji: 1 })
              .select({ emoji: 1 })
              .readConcern(DURABLE_WRITE)
              .lean(),
          );
          if (next === null) break;
          emojis.push(next.emoji);
        }
        return emojis;
      },

      /** @returns null when no reaction is left */
      async count(messageId: string, emoji: string, usersShown: number): Promise<Reaction | null> {
        const [count, userIds] = await Promise.all([
          inTime(reactions.countDocuments({ messageId, emoji }).readConcern(DURABLE_WRITE).exec()),
          users(messageId, emoji, undefined, usersShown),
        ]);
        return count === 0 ? null : { emoji, count: Math.max(count, userIds.length), userIds };
      },

      users,

      /** The emoji that one user has reacted with. */
      async ofUser(
        userId: string,
        messageIds: readonly string[],
      ): Promise<{ channelId: string; messageId: string; emoji: string }[]> {
        const found = await inTime(
          reactions
            .find({ userId, messageId: { $in: messageIds } })
            .readConcern(DURABLE_WRITE)
            .lean(),
        );
        return found.map(({ channelId, messageId, emoji }) => ({ channelId, messageId, emoji }));
      },

      /** @returns the number of deleted reactions: fewer than `limit` when none are left */
      deleteSome: (channelId: string, limit: number) => removeSome({ channelId }, limit),

      /** The same for one message. */
      deleteSomeOf: (messageId: string, limit: number) => removeSome({ messageId }, limit),

      deleteOfMany: (messageIds: readonly string[]) => removeAll({ messageId: { $in: messageIds } }),
    };
  },
);

/** Marks a message whose reactions must be counted again. Stored until that is done, even if a process dies. */
interface UncountedDocument {
  /** The message id. */
  _id: string;
  channelId: string;
  /** Changes with every mark. */
  token: string;
  since: Date;
}

const uncountedSchema = new Schema<UncountedDocument>(
  {
    channelId: REQUIRED_ID,
    token: { type: String, required: true },
    since: { type: Date, required: true },
  },
  { collection: "uncountedReactions" },
).index({ since: 1 });

export type UncountedRepository = ReturnType<typeof createUncountedRepository>;

/** Queries of the marks for messages to be counted. */
export const createUncountedRepository = defineRepository(
  { name: "UncountedReactions", schema: uncountedSchema },
  ({ model: notes, remove }) => ({
    /** Durable. @param token a new one, so that a count that began earlier doesn't remove the mark */
    async note(channelId: string, messageId: string, token: string): Promise<void> {
      const noted = notes.updateOne(
        { _id: messageId },
        { $set: { token, since: new Date() }, $setOnInsert: { channelId } },
        { upsert: true },
      );
      await inTime(noted);
    },

    async find(messageId: string): Promise<UncountedDocument | null> {
      return inTime(notes.findById(messageId).lean());
    },

    delete: (messageId: string, token: string) => remove({ _id: messageId, token }),

    /** Oldest first. */
    async findBefore(before: Date, limit: number): Promise<UncountedDocument[]> {
      return notes
        .find({ since: { $lt: before } })
        .sort({ since: 1 })
        .limit(limit)
        .lean();
    },
  }),
);
