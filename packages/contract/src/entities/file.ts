import { z } from "zod";
import { entity, id, time } from "./primitives.ts";
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

/** The owner of a picture. */
export const pictureOf = z.object({ type: z.enum(["user", "group"]), id });
