import { LIMITS, type SavedMessage } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { dueQueries } from "./due.ts";

/** A message that a user saved for later. */
export interface SavedDocument {
  _id: string;
  userId: string;
  messageId: string;
  channelId: string;
  savedAt: Date;
  remindAt?: Date;
  /** The same time until the user was reminded. */
  dueAt?: Date;
}

const schema = new Schema<SavedDocument>(
  {
    userId: REQUIRED_ID,
    messageId: REQUIRED_ID,
    channelId: REQUIRED_ID,
    savedAt: { type: Date, required: true },
    remindAt: Date,
    dueAt: Date,
  },
  { collection: "savedMessages" },
)
  .index({ userId: 1, messageId: 1 }, { unique: true, name: "user_message" })
  .index({ userId: 1, _id: -1 }, { name: "user_newest" })
  .index({ channelId: 1 }, { name: "channel" })
  .index({ dueAt: 1 }, { sparse: true, name: "due" });

export type SavedRepository = ReturnType<typeof createSavedRepository>;

/** Queries of the collection savedMessages. */
export const createSavedRepository = defineRepository(
  { name: "SavedMessage", schema },
  ({ model: saved, update, remove, removeAll }) => ({
    /** @returns null when the user has saved the maximum number of messages */
    async add(
      { userId, messageId, channelId }: Pick<SavedDocument, "userId" | "messageId" | "channelId">,
      remindAt: Date | null,
    ): Promise<SavedDocument | null> {
      const change =
        remindAt === null ? { $unset: { remindAt: 1, dueAt: 1 } } : { $set: { remindAt, dueAt: remindAt } };
      const apply = (inserts: boolean) =>
        saved
          .findOneAndUpdate(
            { userId, messageId },
            { ...change, $setOnInsert: { channelId, savedAt: new Date() } },
            { upsert: inserts, returnDocument: "after" },
          )
          .lean();
      const known = await apply(false);
      if (known !== null) return known;
      const max = LIMITS.savedPerUser;
      if ((await saved.countDocuments({ userId }, { limit: max })) >= max) return null;
      return apply(true);
    },

    /** @returns whether it was saved */
    remove: (userId: string, messageId: string) => remove({ userId, messageId }),

    /** Most recently saved first. */
    listOf: (userId: string, limit: number, beforeId?: string): Promise<SavedDocument[]> =>
      saved
        .find({ userId, ...(beforeId !== undefined && { _id: { $lt: beforeId } }) })
        .sort({ _id: -1 })
        .limit(limit)
        .lean(),

    ...dueQueries(saved),

    /** Unless the user has changed the reminder. */
    reminded: ({ _id, dueAt }: SavedDocument) => update({ _id, dueAt: dueAt! }, { $unset: { dueAt: 1 } }),

    removeMany: (ids: readonly string[]) => removeAll({ _id: { $in: ids } }),
    removeOfChannels: (channelIds: readonly string[]) => removeAll({ channelId: { $in: channelIds } }),
    removeAll: (userId: string) => removeAll({ userId }),
  }),
);

export function presentSaved({ messageId, channelId, savedAt, remindAt }: SavedDocument): SavedMessage {
  return {
    messageId,
    channelId,
    savedAt: savedAt.toISOString(),
    remindAt: remindAt?.toISOString() ?? null,
  };
}
