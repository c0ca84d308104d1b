import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const ofEmoji = e.inGroup.extend({ emojiId: e.id });
const emoji = z.object({ emoji: e.EmojiSchema });
const name = e.stickerName.describe(
  `of an emoji: ${LIMITS.emojiNameMinChars}-${LIMITS.emojiNameMaxChars} of a-z, 0-9, '_' and '-'`,
);
const manageEmoji = { rule: "group", can: "manageEmoji" } as const;

/** A group's own emoji, stickers and GIFs. */
export const emojiActions = {
  list: query({
    summary: "The group's own emoji, stickers and GIFs, in no particular order.",
    params: e.inGroup,
    result: z.object({ emoji: z.array(e.EmojiSchema) }),
    permission: { rule: "group", can: "view" },
    botScope: "group.read",
  }),
  add: mutation({
    summary:
      `Add an emoji, a sticker or a GIF to the group. The picture can be animated and have up to ${LIMITS.emojiMaxBytes / 1000} kB; ` +
      `stickers up to ${LIMITS.stickerMaxBytes / 1000} kB, GIFs up to ${LIMITS.gifMaxBytes / 1_000_000} MB. Repeatable.`,
    params: e.inGroup.extend({
      kind: e.emojiKind.default("emoji"),
      name,
      fileId: e.id.describe(
        "a picture uploaded by the caller with file.uploadPicture; becomes the emoji's id",
      ),
    }),
    result: emoji,
    permission: manageEmoji,
    audited: "group",
    errors: ["FILE_NOT_FOUND", "FILE_TOO_LARGE", "IMAGE_REFUSED", "EMOJI_NAME_TAKEN", "LIMIT_REACHED"],
    rateLimit: perMinute(LIMITS.emojiPerGroup),
  }),
  rename: mutation({
    summary:
      "Rename one of the group's emoji, stickers or GIFs. Texts and reactions with the old name of an emoji show it as text.",
    params: ofEmoji.extend({ name }),
    result: emoji,
    permission: manageEmoji,
    audited: "group",
    errors: ["EMOJI_NOT_FOUND", "EMOJI_NAME_TAKEN"],
  }),
  delete: mutation({
    summary:
      "Delete one of the group's emoji, stickers or GIFs. Messages and reactions with it show its name as text.",
    params: ofEmoji,
    permission: manageEmoji,
    audited: "group",
    errors: ["EMOJI_NOT_FOUND"],
  }),
  exists: internal({
    summary: "Whether the group has an emoji with this name.",
    params: e.inGroup.extend({ name: e.emojiName }),
    result: z.object({ exists: z.boolean() }),
  }),
  find: internal({
    summary: "One of the group's emoji, stickers or GIFs.",
    params: ofEmoji,
    result: z.object({ emoji: e.EmojiSchema.nullable() }),
  }),
};
