import { type EmojiKind, LIMITS } from "@fanfare/contract";
import { defineRepository, nullIfDuplicate, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

export interface EmojiDocument {
  /** The id of its file. */
  _id: string;
  groupId: string;
  /** Absent for emoji. */
  kind?: Exclude<EmojiKind, "emoji">;
  name: string;
  url: string;
  /** Absent if an earlier version stored it. */
  width?: number;
  height?: number;
  createdBy: string;
  createdAt: Date;
}

const schema = new Schema<EmojiDocument>(
  {
    groupId: REQUIRED_ID,
    kind: String,
    name: { type: String, required: true },
    url: { type: String, required: true },
    width: Number,
    height: Number,
    createdBy: REQUIRED_ID,
    createdAt: { type: Date, required: true },
  },
  { collection: "emoji" },
).index({ groupId: 1, name: 1 }, { unique: true });

/** Concurrent calls can exceed the limits by a few. */
const MAX_EMOJI = 2 * (LIMITS.emojiPerGroup + LIMITS.stickersPerGroup + LIMITS.gifsPerGroup);

/** Queries of the collection emoji. */
export const createEmojiRepository = defineRepository(
  { name: "Emoji", schema },
  ({ model: emoji, insert, change, remove, removeSome }) => ({
    /** @returns null when the group has one with this name or file */
    insert: (document: EmojiDocument) => nullIfDuplicate(insert(document)),

    find: (groupId: string, emojiId: string) => emoji.findOne({ _id: emojiId, groupId }).lean(),

    listOfGroup: (groupId: string) => emoji.find({ groupId }).limit(MAX_EMOJI).lean(),

    /** Without stickers and GIFs. */
    hasName: async (groupId: string, name: string): Promise<boolean> =>
      (await emoji.exists({ groupId, name, kind: null })) !== null,

    /** @returns null when the group has another one with this name, or no longer has this one */
    rename: (groupId: string, emojiId: string, name: string) =>
      nullIfDuplicate(change({ _id: emojiId, groupId }, { $set: { name } })),

    /** @returns false when it is already gone */
    remove: (groupId: string, emojiId: string) => remove({ _id: emojiId, groupId }),

    /** @returns the number of removed emoji: fewer than `limit` when none are left */
    removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),
  }),
);
