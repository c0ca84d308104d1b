import { z } from "zod";
import { internal, mutation } from "../define.ts";
import * as e from "../entities.ts";
import { confirmation, CONFIRMATION_ERRORS } from "./account.ts";
import { credentialLimit, loginCode } from "./credentials.ts";

/** Every service that stores personal data needs one. */
export const forgetUser = (what: string) => ({
  ...internal({
    summary: `A user was deleted: ${what} Repeatable.`,
    params: e.ofUser,
  }),
  forgetsUser: true as const,
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
};

export const messageActions = {
  forgetUser: forgetUser("removes read markers; messages stay."),
};

export const presenceActions = {
  forgetUser: forgetUser("removes the chosen status."),
};

export const fileActions = {
  forgetUser: forgetUser("removes pictures and files that are not attached to a message."),
};

export const inboxActions = {
  forgetUser: forgetUser(
    "removes notification settings, push subscriptions, inbox markers, saved and scheduled messages.",
  ),
};

export const friendActions = {
  forgetUser: forgetUser("removes friends, friend requests and settings."),
};
