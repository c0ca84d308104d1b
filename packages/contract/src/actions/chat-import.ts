import { z } from "zod";
import { internal, mutation, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const admin = { rule: "admin" } as const;
const ofImport = z.object({ importId: e.id });
const oneImport = z.object({ import: e.ChatImportSchema });

/** Imports of the exports of other chat servers. */
export const adminActions = {
  startExportUpload: mutation({
    summary:
      "Start the upload of an export of another chat server. POST /api/admin.uploadExport?origin=…&fileName=… does this and takes the bytes " +
      "as its body. Then the export is checked, which changes nothing: admin.listChatImports has the report.",
    params: z.object({
      origin: e.chatOrigin,
      fileName: e.fileName,
      bytes: z.int().min(1),
      team: z
        .string()
        .trim()
        .min(1)
        .max(LIMITS.groupNameMaxChars)
        .optional()
        .describe("the team or group to import, of an export with several"),
    }),
    result: ofImport,
    permission: admin,
    errors: ["FILE_TOO_LARGE", "LIMIT_REACHED"],
  }),
  finishExportUpload: internal({
    summary: "Check an uploaded export.",
    params: ofImport,
    result: oneImport,
    errors: ["IMPORT_NOT_FOUND"],
  }),
  cancelExportUpload: internal({
    summary: "Delete an export that was not uploaded completely. Repeatable.",
    params: ofImport,
  }),
  listChatImports: query({
    summary: "Uploaded exports of other chat servers, and their imports, newest first.",
    result: z.object({ imports: z.array(e.ChatImportSchema) }),
    permission: admin,
  }),
  runChatImport: mutation({
    summary:
      "Make a group of a checked export, in the background, or add what is new to the group in its report. An import " +
      "that the server interrupts continues by itself.",
    params: ofImport.extend({
      ownerId: e.id.optional().describe("the owner of a new group; absent: the caller"),
      matchUsernames: z
        .boolean()
        .describe(
          "whether users become the existing accounts that have verified their addresses, or, if the export has no addresses, those with the same usernames",
        ),
      createAccounts: z.boolean().describe("whether members without an account get one, without a password"),
      directMessages: z
        .boolean()
        .default(true)
        .describe("whether to import direct messages, for participants with an account"),
      again: z
        .boolean()
        .describe("whether to make another group, if an export of the same origin was imported"),
    }),
    result: oneImport,
    permission: admin,
    errors: ["IMPORT_NOT_FOUND", "IMPORT_NOT_READY", "USER_NOT_FOUND"],
  }),
  deleteChatImport: mutation({
    summary: "Delete an uploaded export, or the record of an import. The group stays.",
    params: ofImport,
    permission: admin,
    errors: ["IMPORT_NOT_FOUND", "IMPORT_NOT_READY"],
  }),
};

export const groupActions = {
  announceImport: internal({
    summary: "Show an imported group to a page of its members. Repeatable.",
    params: e.inGroup.extend({ byUserId: e.id, afterUserId: e.id.nullable() }),
    result: z.object({ next: e.id.nullable() }),
    errors: ["GROUP_NOT_FOUND"],
  }),
};

export const channelActions = {
  announceDirects: internal({
    summary: "Show imported direct channels to their participants. Repeatable.",
    params: z.object({ channelIds: z.array(e.id) }),
  }),
};
