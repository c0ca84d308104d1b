import { type Draft, LIMITS } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** What a user has begun to write in a channel. */
interface DraftDocument {
  _id: string;
  userId: string;
  channelId: string;
  content: string;
  changedAt: Date;
}

const schema = new Schema<DraftDocument>(
  {
    userId: REQUIRED_ID,
    channelId: REQUIRED_ID,
    content: { type: String, required: true },
    changedAt: { type: Date, required: true },
  },
  { collection: "drafts" },
)
  .index({ userId: 1, channelId: 1 }, { unique: true, name: "user_channel" })
  .index({ userId: 1, changedAt: -1 }, { name: "user_newest" })
  .index({ channelId: 1 }, { name: "channel" });

/** Queries of the collection drafts. */
export const createDraftRepository = defineRepository(
  { name: "Draft", schema },
  ({ model: drafts, remove, removeAll }) => ({
    /** Drops the drafts beyond the limit. */
    async set(draft: Omit<DraftDocument, "_id">): Promise<void> {
      const { userId, channelId, content, changedAt } = draft;
      if (content === "") {
        await remove({ userId, channelId });
        return;
      }
      await drafts.updateOne({ userId, channelId }, { $set: { content, changedAt } }, { upsert: true });
      const [last] = await drafts
        .find({ userId }, { changedAt: 1 })
        .sort({ changedAt: -1 })
        .skip(LIMITS.draftsPerUser)
        .limit(1)
        .lean();
      if (last !== undefined) await removeAll({ userId, changedAt: { $lte: last.changedAt } });
    },

    /** Most recently changed first. */
    listOf: (userId: string): Promise<DraftDocument[]> =>
      drafts.find({ userId }).sort({ changedAt: -1 }).limit(LIMITS.draftsPerUser).lean(),

    removeOfChannels: (channelIds: readonly string[]) => removeAll({ channelId: { $in: channelIds } }),
    removeAll: (userId: string) => removeAll({ userId }),
  }),
);

export function presentDraft({
  channelId,
  content,
  changedAt,
}: Pick<DraftDocument, "channelId" | "content" | "changedAt">): Draft {
  return { channelId, content, changedAt: changedAt.toISOString() };
}
