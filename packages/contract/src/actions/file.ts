import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const oneFile = z.object({ fileId: e.id });
const bytes = z.int().min(1).describe("exactly as many as will come");
const quota = z.int().min(0).nullable().describe("null: the quota that the policy of the instance sets");
const uploads = perMinute(30);

export const fileActions = {
  startUpload: mutation({
    summary:
      "Ask to upload a file for a message in a channel. POST /api/file.upload?channelId=…&name=… does this and takes the bytes " +
      "as its body; called by itself it only reserves the room, for an hour.",
    params: z.object({ channelId: e.id, name: e.fileName, bytes }),
    result: oneFile,
    permission: { rule: "channel", can: "attachFiles" },
    botScope: "messages.write",
    errors: ["FILE_TOO_LARGE", "LIMIT_REACHED", "MUTED"],
    rateLimit: uploads,
  }),
  startPicture: mutation({
    summary:
      "Ask to upload a picture for a profile or a group. POST /api/file.uploadPicture does this and takes the bytes as its body.",
    params: z.object({ bytes }),
    result: oneFile,
    permission: { rule: "session" },
    errors: ["FILE_TOO_LARGE", "LIMIT_REACHED"],
    rateLimit: uploads,
  }),
  get: query({
    summary: "What is known of a file: for who uploaded it and for those who see its channel.",
    params: oneFile,
    result: z.object({ file: e.StoredFileSchema }),
    permission: { rule: "session" },
    botScope: "messages.read",
    errors: ["FILE_NOT_FOUND"],
  }),
  getUrl: query({
    summary:
      "An address to read a file at for a while: for who uploaded it and for those who see its channel.",
    params: oneFile,
    result: e.FileUrlSchema,
    permission: { rule: "session" },
    botScope: "messages.read",
    errors: ["FILE_NOT_FOUND"],
  }),
  getUrls: query({
    summary: "Addresses to read the attachments of a channel at for a while; what is not there is left out.",
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
      "Delete one's own file, or one that is attached in a channel for those who manage messages there. The message goes on naming it.",
    params: oneFile,
    permission: { rule: "session" },
    botScope: "messages.write",
    errors: ["FILE_NOT_FOUND", "FORBIDDEN"],
  }),
  getUsage: query({
    summary: "How much room the caller's files take.",
    result: e.FileUsageSchema,
    permission: { rule: "session" },
  }),
  getGroupUsage: query({
    summary: "How much room the files of a group take.",
    params: e.inGroup,
    result: e.FileUsageSchema,
    permission: { rule: "group", can: "manageGroup" },
  }),
  setQuota: mutation({
    summary: "How much room the files of one user or one group may take.",
    params: z.object({ of: e.pictureOf, maxBytes: quota }),
    result: e.FileUsageSchema,
    permission: { rule: "admin" },
  }),
  finishUpload: internal({
    summary: "The bytes of an upload are stored: find out what they are. A file that is refused is deleted.",
    params: oneFile,
    result: z.object({ file: e.StoredFileSchema }),
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED"],
  }),
  abortUpload: internal({
    summary: "An upload was broken off: nothing of it is left. Repeatable.",
    params: oneFile,
  }),
  claim: internal({
    summary:
      "Make files the attachments of the message that a user sends with a nonce; repeatable with the same nonce, and never for two messages.",
    params: z.object({
      fileIds: z.array(e.id).min(1).max(LIMITS.attachmentsPerMessage),
      channelId: e.id,
      userId: e.id,
      nonce: e.nonce,
    }),
    result: z.object({
      attachments: z.array(e.AttachmentSchema).nullable().describe("null: not all are theirs"),
    }),
  }),
  release: internal({
    summary: "A message is gone: delete its attachments. Repeatable.",
    params: z.object({ channelId: e.id, fileIds: z.array(e.id).min(1).max(LIMITS.attachmentsPerMessage) }),
  }),
  usePicture: internal({
    summary: "Make a user's uploaded file the public picture of a profile or a group. Repeatable.",
    params: z.object({ fileId: e.id, userId: e.id, of: e.pictureOf }),
    result: z.object({ url: z.string() }),
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED"],
  }),
  dropPictures: internal({
    summary: "Delete the pictures of a profile or a group, but for the one that is shown. Repeatable.",
    params: z.object({ of: e.pictureOf, exceptFileId: e.id.optional() }),
  }),
};
