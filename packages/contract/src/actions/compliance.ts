import { z } from "zod";
import { internal, mutation, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";
import { ExportedLine, exportedSpan, exportPosition, heldPosition, PlaceLine } from "../export-files.ts";

const admin = { rule: "admin" } as const;
const exports = { points: 10, durationMs: 60 * 60 * 1000, exact: true };
const hold = z.object({ hold: e.LegalHoldSchema });
const holdPage = z.object({ beforeId: e.id.optional(), limit: e.pageLimit });
const holds = z.object({ holds: z.array(e.LegalHoldSchema), nextId: e.id.nullable() });
const newHold = e.ofUser.extend({ reason: e.reason });
/** The user too, so that the audit log has them. */
const ending = e.ofUser.extend({ holdId: e.id });

/** Legal holds, and exports of a user's messages. */
export const adminActions = {
  startMessageExport: mutation({
    summary:
      "Export all messages that another user sent in a time span, in groups and direct messages, with their former texts and what a legal " +
      "hold has kept. POST /api/admin.exportMessages with these parameters returns the file; called directly, it only adds an entry " +
      "to the audit log.",
    params: exportedSpan
      .extend({
        reason: e.reason.describe("recorded in the audit log and in the file"),
        fileLinks: z
          .boolean()
          .default(false)
          .describe("add links to attachments, which anyone who has them can download for a day"),
      })
      .refine(({ from, to }) => from < to, { path: ["to"], message: "must be later than from" }),
    permission: admin,
    errors: ["USER_NOT_FOUND"],
    rateLimit: exports,
  }),
  listHolds: query({
    summary:
      "A page of the legal holds, newest first, including those that have ended. Those on the caller are left out.",
    params: holdPage,
    result: holds,
    permission: admin,
  }),
  startHold: mutation({
    summary:
      "Put another user under a legal hold. Until it ends, the server keeps what the user or anyone else deletes of their messages, " +
      "for admin.startMessageExport, except deletions that have already begun. Users aren't notified, but the space of deleted files " +
      "stays used, and links to them work until they expire.",
    params: newHold,
    result: hold,
    permission: admin,
    errors: ["USER_NOT_FOUND", "LIMIT_REACHED"],
  }),
  endHold: mutation({
    summary:
      "End a legal hold. Unless the user is under another one, what it has kept is then deleted. You can't undo this.",
    params: ending.extend({ reason: e.reason.describe("recorded in the audit log") }),
    result: hold,
    permission: admin,
    errors: ["HOLD_NOT_FOUND"],
  }),
};

export const messageActions = {
  exportSent: internal({
    summary: "A page of the messages that a user sent, by channel, with their former texts.",
    params: exportedSpan.extend({ after: exportPosition.nullable() }),
    result: z.object({ lines: z.array(ExportedLine), next: exportPosition.nullable() }),
  }),
  exportHeld: internal({
    summary: "A page of the messages of a user that were deleted but kept by a legal hold.",
    params: exportedSpan.extend({ after: heldPosition.nullable() }),
    result: z.object({
      lines: z.array(ExportedLine),
      places: z.array(PlaceLine).describe("deleted channels of these messages"),
      next: heldPosition.nullable(),
    }),
  }),
  isHeld: internal({
    summary: "Whether a user is under a legal hold.",
    params: e.ofUser,
    result: z.object({ isHeld: z.boolean() }),
  }),
  listHolds: internal({
    summary: "The page of legal holds for admin.listHolds.",
    params: z.object({ beforeId: e.id.optional(), limit: z.int().min(1).max(LIMITS.pageMaxItems) }),
    result: holds,
  }),
  startHold: internal({
    summary: "Start a legal hold.",
    params: newHold.extend({ name: z.string(), byUserId: e.id }),
    result: hold,
    errors: ["LIMIT_REACHED"],
  }),
  endHold: internal({
    summary: "End a legal hold. Repeatable.",
    params: ending.extend({ byUserId: e.id }),
    result: hold,
    errors: ["HOLD_NOT_FOUND"],
  }),
};

export const fileActions = {
  linkExported: internal({
    summary:
      "Links to attachments for an export, also to those that a legal hold keeps. Files that are gone are left out.",
    params: z.object({ fileIds: z.array(e.id).max(LIMITS.pageMaxItems) }),
    result: z.object({ links: z.array(z.object({ fileId: e.id, path: z.string() })) }),
  }),
};

export const groupActions = {
  describeChannels: internal({
    summary: "Channels of any kind as lines of an export, one for each id.",
    params: z.object({ channelIds: z.array(e.id).min(1).max(LIMITS.pageMaxItems) }),
    result: z.object({ lines: z.array(PlaceLine) }),
  }),
};
