import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const oneFile = z.object({ fileId: e.id });
const bytes = z.int().min(1).describe("exact size of the upload");
const quota = z.int().min(0).nullable().describe("null: the quota from the instance policy");
const uploads = perMinute(30);

export const fileActions = {
  startUpload: mutation({
    summary:
      "Start the upload of a file for a message in a channel. POST /api/file.upload?channelId=…&name=… does this and takes the bytes " +
      "as its body, for a voice message with &durationMs=…&peaks=…; called directly, it only reserves the storage, for an hour.",
    params: z.object({
      channelId: e.id,
      name: e.fileName,
      bytes,
      // Of a voice message. Both are ignored without the other, or if the file isn't audio.
      ...e.RecordingSchema.partial().shape,
    }),
    result: oneFile,
    permission: { rule: "channel", can: "attachFiles" },
    botScope: "messages.write",
    errors: ["FILE_TOO_LARGE", "LIMIT_REACHED", "MUTED"],
    rateLimit: uploads,
  }),
  startUploadFor: internal({
    summary:
      "Start the upload of a file for a message that the server posts for a user, with the user's permissions.",
    params: z.object({ userId: e.id, channelId: e.id, name: e.fileName, bytes }),
    result: oneFile,
    errors: ["CHANNEL_NOT_FOUND", "FORBIDDEN", "MUTED", "FILE_TOO_LARGE", "LIMIT_REACHED"],
  }),
  startPicture: mutation({
    summary:
      "Start the upload of a picture for a profile, a group or an emoji. POST /api/file.uploadPicture does this and takes the bytes as its body.",
    params: z.object({ bytes }),
    result: oneFile,
    permission: { rule: "session" },
    errors: ["FILE_TOO_LARGE", "LIMIT_REACHED"],
    rateLimit: perMinute(LIMITS.emojiPerGroup),
  }),
  get: query({
    summary: "The details of a file, for its uploader and for users who can see its channel.",
    params: oneFile,
    result: z.object({ file: e.StoredFileSchema }),
    permission: { rule: "session" },
    botScope: "messages.read",
    errors: ["FILE_NOT_FOUND"],
  }),
  getUrl: query({
    summary: "A temporary URL of a file, for its uploader and for users who can see its channel.",
    params: oneFile,
    result: e.FileUrlSchema,
    permission: { rule: "session" },
    botScope: "messages.read",
    errors: ["FILE_NOT_FOUND"],
  }),
  getUrls: query({
    summary: "Temporary URLs of attachments in a channel; files that don't exist are left out.",
    params: z.object({
      channelId: e.id,
      fileIds: z.array(e.id).min(1).max(LIMITS.pageMaxItems),
    }),
    result: z.object({ urls: z.array(e.FileUrlSchema) }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.read",
  }),
  listMine: query({
    summary: "A page of the caller's files, newest first.",
    params: z.object({
      before: e.id.optional().describe("a file's id: only older ones"),
      limit: e.pageLimit,
    }),
    result: z.object({ files: z.array(e.StoredFileSchema), nextBefore: e.id.nullable() }),
    permission: { rule: "session" },
  }),
  delete: mutation({
    summary:
      "Delete one of the caller's files, or an attachment in a channel where the caller can manage messages. The message still lists it.",
    params: oneFile,
    permission: { rule: "session" },
    botScope: "messages.write",
    errors: ["FILE_NOT_FOUND", "FORBIDDEN"],
  }),
  getUsage: query({
    summary: "Storage used by the caller's files.",
    result: e.FileUsageSchema,
    permission: { rule: "session" },
  }),
  getGroupUsage: query({
    summary: "Storage used by the files of a group.",
    params: e.inGroup,
    result: e.FileUsageSchema,
    permission: { rule: "group", can: "manageGroup" },
  }),
  setQuota: mutation({
    summary: "Set the storage quota of a user or a group.",
    params: z.object({ of: e.fileOwner, maxBytes: quota }),
    result: e.FileUsageSchema,
    permission: { rule: "admin" },
  }),
  finishUpload: internal({
    summary: "Finish an upload: detect the type of the stored bytes. A rejected file is deleted.",
    params: oneFile,
    result: z.object({ file: e.StoredFileSchema }),
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED"],
  }),
  abortUpload: internal({
    summary: "Cancel an upload and delete its bytes. Repeatable.",
    params: oneFile,
  }),
  claim: internal({
    summary:
      "Attach files to the message that a user sends with a nonce. Repeatable with the same nonce; a file belongs to one message at most.",
    params: z.object({
      fileIds: z.array(e.id).min(1).max(LIMITS.attachmentsPerMessage),
      channelId: e.id,
      userId: e.id,
      nonce: e.nonce,
    }),
    result: z.object({
      attachments: z.array(e.AttachmentSchema).nullable().describe("null: the user does not own all of them"),
    }),
  }),
  release: internal({
    summary: "Delete the attachments of a deleted message. Repeatable.",
    params: z.object({ channelId: e.id, fileIds: z.array(e.id).min(1).max(LIMITS.attachmentsPerMessage) }),
  }),
  usePicture: internal({
    summary:
      "Make a user's uploaded file the public picture of a profile, a group, a member, an emoji or this instance. Repeatable.",
    params: z.object({ fileId: e.id, userId: e.id, of: e.pictureOf }),
    result: z.object({ url: z.string(), width: z.int().optional(), height: z.int().optional() }),
    errors: ["FILE_NOT_FOUND", "FILE_TOO_LARGE", "IMAGE_REFUSED"],
  }),
  dropPictures: internal({
    summary:
      "Delete the pictures of a profile, a group, its members, its emoji or this instance; all, all but one, only one, or those of one uploader. Repeatable.",
    params: z.object({
      of: e.pictureOf,
      exceptFileId: e.id.optional(),
      fileId: e.id.optional(),
      userId: e.id.optional().describe("the uploader"),
    }),
  }),
};
