import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";
import { confirmation, CONFIRMATION_ERRORS, credentialLimit, loginCode } from "./account.ts";

const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_.-]+$/, "must be a cursor of the page before")
  .max(LIMITS.exportCursorMaxChars);
const page = z.object({
  items: z.array(
    z.object({
      kind: z.string().describe("type of the entry: profile, session, block, membership, message, …"),
      data: z.unknown(),
    }),
  ),
  nextCursor: cursor.nullable().describe("null: this is the last page; earlier pages can be empty"),
});

// Every service that stores personal data needs both.

export const forgetUser = (what: string) => ({
  ...internal({
    summary: `A user was deleted: ${what} Repeatable.`,
    params: e.ofUser,
  }),
  forgetsUser: true as const,
});

const exportUser = (what: string) => ({
  ...internal({
    summary: `A page of a user's data: ${what}`,
    params: z.object({ userId: e.id, cursor: cursor.nullable() }),
    result: page,
  }),
  exportsUser: true as const,
});

export const userActions = {
  deleteMe: mutation({
    summary:
      "Delete the caller's account permanently: all sessions end, its names become available, and its messages stay, by a deleted user. " +
      "Transfer or delete owned groups first.",
    params: z.object({ ...confirmation, code: loginCode }),
    permission: { rule: "session" },
    endsSession: true,
    errors: [...CONFIRMATION_ERRORS, "TOTP_REQUIRED", "WRONG_CODE", "OWNS_GROUPS", "LAST_ADMIN"],
    rateLimit: credentialLimit,
    // The session's sockets close immediately, so a result by socket would not arrive.
    transports: ["http"],
  }),
  exportMyData: query({
    summary: "A page of all data of the caller, as JSON.",
    params: z.object({ cursor: cursor.optional() }),
    result: page,
    permission: { rule: "session" },
    isHeavy: true,
    rateLimit: perMinute(120),
  }),
  exportUser: exportUser("profile, sessions, blocks."),
};

export const groupActions = {
  listOwned: internal({
    summary: "The groups that a user owns.",
    params: e.ofUser,
    result: z.object({ groupIds: z.array(e.id) }),
  }),
  forgetUser: forgetUser(
    "removes the user from all groups and group DMs; direct messages stay for the other users.",
  ),
  exportUser: exportUser("memberships."),
  listOwnChannels: internal({
    summary:
      "A page of the channels and threads in a user's current and former groups and of direct channels that they left, visible to them or not; or of their direct channels.",
    params: z.object({ userId: e.id, of: z.enum(["groups", "direct"]), cursor: cursor.nullable() }),
    result: z.object({ channelIds: z.array(e.id), nextCursor: cursor.nullable() }),
  }),
};

export const messageActions = {
  forgetUser: forgetUser("removes read markers; messages stay."),
  exportUser: exportUser("messages, including those in former groups."),
};

export const presenceActions = {
  forgetUser: forgetUser("removes the chosen status."),
};

export const fileActions = {
  forgetUser: forgetUser("removes pictures and files that are not attached to a message."),
  exportUser: exportUser("files, without their content: see file.getUrl."),
};

export const inboxActions = {
  forgetUser: forgetUser(
    "removes notification settings, push subscriptions, inbox markers, saved and scheduled messages.",
  ),
  exportUser: exportUser("notification settings, quiet hours, keywords and push subscriptions."),
};

export const friendActions = {
  forgetUser: forgetUser("removes friends, friend requests and settings."),
  exportUser: exportUser("friends, friend requests and privacy settings."),
};
