import { z } from "zod";
import { internal, mutation, perMinute } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

/** Every service that stores personal data has one. */
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
      "Delete the caller's account, for ever: all sessions end, the names are free, messages stay as those of a deleted user. " +
      "Groups have to be given away or deleted before.",
    params: z.object({
      password: z
        .string()
        .min(1)
        .max(LIMITS.passwordMaxChars)
        .optional()
        .describe("needed where there is one"),
      code: z
        .string()
        .min(1)
        .max(LIMITS.codeMaxChars)
        .optional()
        .describe("needed where a login asks for one"),
    }),
    permission: { rule: "session" },
    endsSession: true,
    errors: ["WRONG_CREDENTIALS", "TOTP_REQUIRED", "WRONG_CODE", "OWNS_GROUPS", "LAST_ADMIN"],
    rateLimit: { ...perMinute(20), perAddress: true, exact: true },
    // The session's sockets close at once, so an answer by socket would not arrive.
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
    "they leave all groups and direct channels of several; those of two stay for the others.",
  ),
};

export const messageActions = {
  forgetUser: forgetUser("what they have read goes; what they wrote stays."),
};

export const presenceActions = {
  forgetUser: forgetUser("what they wanted others to see of them goes."),
};

export const fileActions = {
  forgetUser: forgetUser("their pictures go, and files that are in no message."),
};

export const inboxActions = {
  forgetUser: forgetUser("notification settings, subscriptions and what was read of the inbox go."),
};

export const friendActions = {
  forgetUser: forgetUser("friendships, requests and settings go."),
};
