import { z } from "zod";
import { internal, mutation, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";
import * as line from "../export-files.ts";

const admin = { rule: "admin" } as const;
const ofImport = z.object({ importId: e.id });
const oneImport = z.object({ import: e.ChatImportSchema });
/** Seed for mapping the ids of an export file to new ones. */
const withSalt = e.inGroup.extend({ salt: z.string().regex(/^[0-9a-f]{10}$/) });
const exports = { points: 10, durationMs: 60 * 60 * 1000, exact: true };
const position = z.object({
  seq: z.int().min(0),
  emoji: z.string().optional(),
  userId: e.id.optional(),
});

/** Imports of the exports of other chat servers, and of groups. */
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
  startGroupExport: mutation({
    summary:
      "Export any group, including private channels. GET /api/admin.exportGroup?groupId=… returns the file. It is also recorded in the " +
      "group's audit log.",
    params: e.inGroup,
    result: z.object({ group: e.GroupSchema }),
    permission: admin,
    audited: "group",
    errors: ["GROUP_NOT_FOUND"],
    rateLimit: exports,
  }),
  startGroupImport: mutation({
    summary:
      "Start the import of a group from an export file. POST /api/admin.importGroup?ownerId=… also takes the file as its body; without a file " +
      "the import is cancelled after an hour. Everything gets new ids, and authors become guests that no one can log in as.",
    params: z.object({ ownerId: e.id.optional().describe("the owner of the new group; absent: the caller") }),
    result: e.inGroup,
    permission: admin,
    audited: "group",
    errors: ["USER_NOT_FOUND", "LIMIT_REACHED"],
    rateLimit: exports,
  }),
};

export const groupActions = {
  announceImport: internal({
    summary: "Show an imported group to a page of its members. Repeatable.",
    params: e.inGroup.extend({ byUserId: e.id, afterUserId: e.id.nullable() }),
    result: z.object({ next: e.id.nullable() }),
    errors: ["GROUP_NOT_FOUND"],
  }),
  startExport: mutation({
    summary:
      "Export a group as JSON lines. GET /api/group.export?groupId=… returns the file; called directly, it only " +
      "adds an entry to the audit log.",
    params: e.inGroup,
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "ownGroup" },
    audited: "group",
    rateLimit: exports,
  }),
  beginExport: internal({
    summary: "Record an export in the group's audit log and return the group, for both export actions.",
    params: e.inGroup.extend({ userId: e.id, action: z.string() }),
    result: z.object({ group: e.GroupSchema }),
    errors: ["GROUP_NOT_FOUND"],
  }),
  exportHead: internal({
    summary: "A group and its roles as lines, and the ids of its sections and channels in their order.",
    params: e.inGroup,
    result: z.object({
      group: line.GroupLine,
      roles: z.array(line.RoleLine),
      sectionIds: z.array(e.id),
      channelIds: z.array(e.id),
    }),
    errors: ["GROUP_NOT_FOUND"],
  }),
  exportChannels: internal({
    summary: "Channels of a group as lines, in the order of the ids; missing ones are left out.",
    params: e.inGroup.extend({ channelIds: z.array(e.id).min(1).max(LIMITS.pageMaxItems) }),
    result: z.object({ lines: z.array(line.ChannelLine) }),
  }),
  exportThreads: internal({
    summary: "A page of the threads of a channel of a group as lines.",
    params: e.inGroup.extend({ channelId: e.id, afterId: e.id.nullable() }),
    result: z.object({ lines: z.array(line.ChannelLine), next: e.id.nullable() }),
  }),
  exportMembers: internal({
    summary: "A page of the members of a group as lines.",
    params: e.inGroup.extend({ afterUserId: e.id.nullable() }),
    result: z.object({ lines: z.array(line.MemberLine), next: e.id.nullable() }),
  }),
  beginImport: internal({
    summary:
      "Create a hidden group for an import, until group.finishImport. It is removed after an hour without activity.",
    params: z.object({ ownerId: e.id }),
    result: e.inGroup,
    errors: ["LIMIT_REACHED"],
  }),
  importPlaces: internal({
    summary: "Store roles and channels of a group that is being imported.",
    params: withSalt.extend({ roles: z.array(line.RoleLine), channels: z.array(line.ChannelLine) }),
    errors: ["GROUP_NOT_FOUND"],
  }),
  keepImport: internal({
    summary: "Keep an import alive.",
    params: e.inGroup,
    errors: ["GROUP_NOT_FOUND"],
  }),
  finishImport: internal({
    summary: "Finish an import: the group becomes visible to its owner.",
    params: withSalt.extend({ group: line.GroupLine, byUserId: e.id }),
    result: z.object({ group: e.GroupSchema }),
    errors: ["GROUP_NOT_FOUND"],
  }),
  cancelImport: internal({
    summary: "Cancel an import and delete the group with its contents. Repeatable.",
    params: e.inGroup,
  }),
};

export const channelActions = {
  announceDirects: internal({
    summary: "Show imported direct channels to their participants. Repeatable.",
    params: z.object({ channelIds: z.array(e.id) }),
  }),
};

export const messageActions = {
  exportChannel: internal({
    summary: "A page of the messages of a channel as lines, each with its reactions below.",
    params: z.object({ channelId: e.id, after: position.nullable() }),
    result: z.object({
      lines: z.array(z.discriminatedUnion("type", [line.MessageLine, line.ReactionLine])),
      next: position.nullable(),
    }),
  }),
  importLines: internal({
    summary: "Store messages and reactions of a group that is being imported.",
    params: withSalt.extend({
      messages: z.array(
        z.object({
          line: line.MessageLine,
          seq: z.int().min(1),
          reactions: z.array(z.object({ emoji: z.string(), count: z.int(), userIds: z.array(e.id) })),
        }),
      ),
      reactions: z.array(z.object({ channelId: e.id, line: line.ReactionLine })),
    }),
    errors: ["GROUP_NOT_FOUND"],
  }),
  importHeads: internal({
    summary: "The heads of the channels of a group that is being imported.",
    params: withSalt.extend({
      heads: z.array(z.object({ channelId: e.id, seq: z.int(), isThread: z.literal(true).optional() })),
    }),
  }),
};

export const userActions = {
  importNames: internal({
    summary: "Store the authors of a group that is being imported, as guests that can't be logged in to.",
    params: withSalt.extend({ users: z.array(line.UserLine) }),
  }),
  removeImported: internal({
    summary:
      "Delete the imported guests of a deleted group or direct conversation, if they are in no other. Repeatable.",
    params: z.object({ groupId: e.id.describe("or of the direct conversation") }),
  }),
  exportNames: internal({
    summary: "Users as lines, one for each id.",
    params: z.object({ userIds: z.array(e.id).min(1).max(LIMITS.exportedUsersPerLookup) }),
    result: z.object({ lines: z.array(line.UserLine) }),
  }),
};
