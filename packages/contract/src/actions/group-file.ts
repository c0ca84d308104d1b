import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import * as line from "../group-file.ts";
import { LIMITS } from "../limits.ts";

const ofGroup = z.object({ groupId: e.id });
const nothing = z.object({});
/** What changes the ids of a file into new ones, the same for all of it. */
const salted = ofGroup.extend({ salt: z.string().regex(/^[0-9a-f]{10}$/) });
const internal = { rule: "internal" } as const;
const exports = { points: 10, durationMs: 60 * 60 * 1000, exact: true };
const position = z.object({
  seq: z.int().min(0),
  emoji: z.string().optional(),
  userId: e.id.optional(),
});

/** A group as a file, and its parts. */
export const groupActions = {
  startExport: action({
    summary:
      "Ask for all of a group as a file of JSON lines. GET /api/group.export?groupId=… does this and answers the file; called by itself it only " +
      "stands in the audit log.",
    params: ofGroup,
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "ownGroup" },
    mutates: true,
    botScope: null,
    cost: 10,
    audited: "group",
    rateLimit: exports,
  }),
  beginExport: action({
    summary: "What is answered to either of them, when it stands in the group's audit log.",
    params: ofGroup.extend({ userId: e.id, action: z.string() }),
    result: z.object({ group: e.GroupSchema }),
    permission: internal,
    errors: ["GROUP_NOT_FOUND"],
  }),
  exportHead: action({
    summary: "A group and its roles as lines, and the ids of its sections and channels in their order.",
    params: ofGroup,
    result: z.object({
      group: line.GroupLine,
      roles: z.array(line.RoleLine),
      sectionIds: z.array(e.id),
      channelIds: z.array(e.id),
    }),
    permission: internal,
    errors: ["GROUP_NOT_FOUND"],
  }),
  exportChannels: action({
    summary: "Channels of a group as lines, in the order of the ids; those that are not there are left out.",
    params: ofGroup.extend({ channelIds: z.array(e.id).min(1).max(LIMITS.pageMaxItems) }),
    result: z.object({ lines: z.array(line.ChannelLine) }),
    permission: internal,
  }),
  exportThreads: action({
    summary: "A page of the threads of a channel of a group as lines.",
    params: ofGroup.extend({ channelId: e.id, afterId: e.id.nullable() }),
    result: z.object({ lines: z.array(line.ChannelLine), next: e.id.nullable() }),
    permission: internal,
  }),
  exportMembers: action({
    summary: "A page of the members of a group as lines.",
    params: ofGroup.extend({ afterUserId: e.id.nullable() }),
    result: z.object({ lines: z.array(line.MemberLine), next: e.id.nullable() }),
    permission: internal,
  }),
  beginImport: action({
    summary:
      "Make a group that nobody sees, until group.finishImport; what is left unfinished for an hour is removed.",
    params: z.object({ ownerId: e.id }),
    result: ofGroup,
    permission: internal,
    errors: ["LIMIT_REACHED"],
  }),
  importPlaces: action({
    summary: "Store roles and channels of a group that is being made.",
    params: salted.extend({ roles: z.array(line.RoleLine), channels: z.array(line.ChannelLine) }),
    result: nothing,
    permission: internal,
    errors: ["GROUP_NOT_FOUND"],
  }),
  keepImport: action({
    summary: "A group that is being made is not left unfinished yet.",
    params: ofGroup,
    result: nothing,
    permission: internal,
    errors: ["GROUP_NOT_FOUND"],
  }),
  finishImport: action({
    summary: "Everything of the group is here: its owner sees it.",
    params: salted.extend({ group: line.GroupLine, byUserId: e.id }),
    result: z.object({ group: e.GroupSchema }),
    permission: internal,
    errors: ["GROUP_NOT_FOUND"],
  }),
  cancelImport: action({
    summary: "Remove a group that was being made, with everything in it. Repeatable.",
    params: ofGroup,
    result: nothing,
    permission: internal,
  }),
};

export const adminActions = {
  startGroupExport: action({
    summary:
      "The same of any group, private channels included. GET /api/admin.exportGroup?groupId=… does this and answers the file. It stands in the " +
      "group's audit log too.",
    params: ofGroup,
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "admin" },
    mutates: true,
    botScope: null,
    cost: 10,
    audited: "group",
    errors: ["GROUP_NOT_FOUND"],
    rateLimit: exports,
  }),
  startGroupImport: action({
    summary:
      "Start the import of a group from an export file. POST /api/admin.importGroup?ownerId=… also takes the file as its body; without a file " +
      "the import is cancelled after an hour. Everything gets new ids, and authors become guests that no one can log in as.",
    params: z.object({ ownerId: e.id.optional().describe("the owner of the new group; absent: the caller") }),
    result: ofGroup,
    permission: { rule: "admin" },
    mutates: true,
    botScope: null,
    cost: 10,
    audited: "group",
    errors: ["USER_NOT_FOUND", "LIMIT_REACHED"],
    rateLimit: exports,
  }),
};

export const messageActions = {
  exportChannel: action({
    summary: "A page of the messages of a channel as lines, each with its reactions below.",
    params: z.object({ channelId: e.id, after: position.nullable() }),
    result: z.object({
      lines: z.array(z.discriminatedUnion("type", [line.MessageLine, line.ReactionLine])),
      next: position.nullable(),
    }),
    permission: internal,
  }),
  importLines: action({
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
    result: nothing,
    permission: internal,
    errors: ["GROUP_NOT_FOUND"],
  }),
  importHeads: action({
    summary: "Where the channels of a group stand that is being made.",
    params: salted.extend({ heads: z.array(z.object({ channelId: e.id, seq: z.int() })) }),
    result: nothing,
    permission: internal,
  }),
};

export const userActions = {
  importNames: action({
    summary: "Store those who wrote in a group that is being made, as guests whom nobody can log in as.",
    params: salted.extend({ users: z.array(line.UserLine) }),
    result: nothing,
    permission: internal,
  }),
  removeImported: action({
    summary: "A group is gone: remove who came with it. Repeatable.",
    params: ofGroup,
    result: nothing,
    permission: internal,
  }),
  exportNames: action({
    summary: "Users as lines, one for each id.",
    params: z.object({ userIds: z.array(e.id).min(1).max(LIMITS.exportedUsersPerLookup) }),
    result: z.object({ lines: z.array(line.UserLine) }),
    permission: internal,
  }),
};
