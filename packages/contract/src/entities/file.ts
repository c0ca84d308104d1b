import { z } from "zod";
import { emojiKind, entity, id, time } from "./primitives.ts";
import { AttachmentSchema } from "./message.ts";

export const StoredFileSchema = AttachmentSchema.extend({
  ownerId: id.describe("the uploader"),
  channelId: id
    .nullable()
    .describe("the channel it was uploaded for; null: a picture of a profile or a group"),
  state: z
    .enum(["unclaimed", "attached", "picture"])
    .describe("unclaimed: not part of a message yet, and deleted after a day"),
  createdAt: time,
}).meta({ id: "StoredFile" });
export type StoredFile = z.output<typeof StoredFileSchema>;

export const FileUrlSchema = entity("FileUrl", {
  fileId: id,
  url: z
    .string()
    .describe(
      "path and query on this server, valid until expiresAt; anyone with this link can read the file",
    ),
  thumbnailUrl: z.string().nullable().describe("null if the file is not an image"),
  expiresAt: time,
});
export type FileUrl = z.output<typeof FileUrlSchema>;

export const FileUsageSchema = entity("FileUsage", {
  usedBytes: z.int().min(0),
  maxBytes: z.int().min(0).nullable().describe("maximum total size of uploads; null: no limit"),
});

/** Whose storage a file uses. */
export const fileOwner = z.object({ type: z.enum(["user", "group"]), id });
/** What a picture shows: a user, a group, a member or an emoji, sticker or GIF of a group, or this instance. */
export const pictureOf = z.union([
  fileOwner,
  z.object({ type: z.literal("member"), id: id.describe("the group") }),
  z.object({
    type: z.literal("emoji"),
    id: id.describe("the group"),
    kind: emojiKind.optional().describe("how it is drawn; default: as an emoji"),
  }),
  z.object({ type: z.literal("instance") }),
]);
export type PictureOf = z.output<typeof pictureOf>;
