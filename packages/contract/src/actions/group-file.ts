import { z } from "zod";
import { internal, mutation } from "../define.ts";
import * as e from "../entities.ts";
import * as line from "../group-file.ts";
import { LIMITS } from "../limits.ts";

/** What changes the ids of a file into new ones, the same for all of it. */
const salted = e.inGroup.extend({ salt: z.string().regex(/^[0-9a-f]{10}$/) });
const exports = { points: 10, durationMs: 60 * 60 * 1000, exact: true };
const position = z.object({
  seq: z.int().min(0),
  emoji: z.string().optional(),
  userId: e.id.optional(),
});

/** A group as a file, and its parts. */
export const groupActions = {
  startExport: mutation({
    summary:
      "Ask for all of a group as a file of JSON lines. GET /api/group.export?groupId=… does this and answers the file; called by itself it only " +
      "stands in the audit log.",
    params: e.inGroup,
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "ownGroup" },
    audited: "group",
    rateLimit: exports,
  }),
  beginExport: internal({
    summary: "What is answered to either of them, when it stands in the group's audit log.",
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
    summary: "Channels of a group as lines, in the order of the ids; those that are not there are left out.",
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
      "Make a group that nobody sees, until group.finishImport; what is left unfinished for an hour is removed.",
    params: z.object({ ownerId: e.id }),
    result: e.inGroup,
    errors: ["LIMIT_REACHED"],
  }),
  importPlaces: internal({
    summary: "Store roles and channels of a group that is being made.",
    params: salted.extend({ roles: z.array(line.RoleLine), channels: z.array(line.ChannelLine) }),
    errors: ["GROUP_NOT_FOUND"],
  }),
  keepImport: internal({
    summary: "A group that is being made is not left unfinished yet.",
    params: e.inGroup,
    errors: ["GROUP_NOT_FOUND"],
  }),
  finishImport: internal({
    summary: "Everything of the group is here: its owner sees it.",
    params: salted.extend({ group: line.GroupLine, byUserId: e.id }),
    result: z.object({ group: e.GroupSchema }),
    errors: ["GROUP_NOT_FOUND"],
  }),
  cancelImport: internal({
    summary: "Remove a group that was being made, with everything in it. Repeatable.",
    params: e.inGroup,
  }),
};

export const adminActions = {
  startGroupExport: mutation({
    summary:
      "The same of any group, private channels included. GET /api/admin.exportGroup?groupId=… does this and answers the file. It stands in the " +
      "group's audit log too.",
    params: e.inGroup,
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "admin" },
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
    permission: { rule: "admin" },
    audited: "group",
    errors: ["USER_NOT_FOUND", "LIMIT_REACHED"],
    rateLimit: exports,
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
    summary: "Store messages and reactions of a group that is being made.",
    params: salted.extend({
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
    summary: "Where the channels of a group stand that is being made.",
    params: salted.extend({ heads: z.array(z.object({ channelId: e.id, seq: z.int() })) }),
  }),
};

export const userActions = {
  importNames: internal({
    summary: "Store those who wrote in a group that is being made, as guests whom nobody can log in as.",
    params: salted.extend({ users: z.array(line.UserLine) }),
  }),
  removeImported: internal({
    summary: "A group is gone: remove who came with it. Repeatable.",
    params: e.inGroup,
  }),
  exportNames: internal({
    summary: "Users as lines, one for each id.",
    params: z.object({ userIds: z.array(e.id).min(1).max(LIMITS.exportedUsersPerLookup) }),
    result: z.object({ lines: z.array(line.UserLine) }),
  }),
};
