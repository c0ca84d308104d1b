import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";
import { code, credentialCall, credentialLimit, password, PASSWORD_ERRORS } from "./account.ts";

/**
 * Limits guesses at one account from many addresses. Counted by the submitted name, so that the limits of an account's username and
 * email address are separate: a shared limit would reveal that they belong together.
 */
const guessLimit = {
  param: "username",
  points: LIMITS.loginsPerName,
  pointsPerAddress: LIMITS.loginsPerNameAndAddress,
  exceptKnownDevices: true,
  onlyFailures: true,
  durationMs: LIMITS.passwordGuessWindowMs,
  unscaled: true,
} as const;

const inviteCode = e.inviteCode
  .optional()
  .describe(
    "The account joins the group of this invite. Required where registration is by invite; a guest's or bot's invite does not count.",
  );
const NEW_ACCOUNT_ERRORS = [
  "REGISTRATION_CLOSED",
  "INVITE_REQUIRED",
  "INVITE_NOT_FOUND",
  "BANNED",
  "LIMIT_REACHED",
  "EMAIL_DOMAIN_NOT_ALLOWED",
  "EMAIL_NOT_VERIFIED",
  "OIDC_REQUIRED",
  "USERNAME_TAKEN",
  "EMAIL_TAKEN",
  "WEAK_PASSWORD",
] as const;

const endingSession = {
  permission: { rule: "session" },
  worksInMaintenance: true,
  worksWithoutSecondFactor: true,
  endsSession: true,
  // The session's sockets close immediately, so a result by socket would not arrive.
  transports: ["http"],
} as const;

export const userActions = {
  register: mutation({
    summary: "Create an account and log in.",
    params: z.object({
      username: e.newUsername,
      password: e.password,
      nickname: e.nickname.optional(),
      email: e.email.optional(),
      locale: e.locale.optional(),
      inviteCode,
      inviteToken: z
        .string()
        .max(LIMITS.secretMaxChars)
        .optional()
        .describe(
          "From the link of an emailed invite, with its `inviteCode`: the address that it was sent to needs no verification.",
        ),
    }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    startsSession: true,
    errors: NEW_ACCOUNT_ERRORS,
    ...credentialCall,
  }),
  login: mutation({
    summary:
      "Log in with a username or email address and a password. If the password is the one of an LDAP directory, the first login creates the account.",
    params: z.object({
      username: z.string().min(1).max(LIMITS.emailMaxChars),
      password,
      code: code
        .optional()
        .describe("After TOTP_REQUIRED: a code from the authenticator app, or a recovery code."),
      email: e.email
        .optional()
        .describe(
          "After EMAIL_NOT_VERIFIED: sends a new link to this address, and fails with the same error again.",
        ),
    }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    worksInMaintenance: true,
    startsSession: true,
    errors: [
      ...PASSWORD_ERRORS,
      "USER_DISABLED",
      "TOTP_REQUIRED",
      "WRONG_CODE",
      "EMAIL_NOT_VERIFIED",
      "EMAIL_DOMAIN_NOT_ALLOWED",
      "EMAIL_TAKEN",
      "LIMIT_REACHED",
      "OIDC_REQUIRED",
    ],
    rateLimit: { ...credentialLimit, perValueOf: guessLimit },
    transports: ["http"],
  }),
  createGuest: mutation({
    summary: "Join as a guest, without a password.",
    params: z.object({ nickname: e.nickname.optional() }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    startsSession: true,
    errors: ["GUESTS_DISABLED", "LIMIT_REACHED"],
    rateLimit: { ...perMinute(60), exact: true },
    transports: ["http"],
  }),
  claimGuest: mutation({
    summary: "Convert the logged-in guest to an account with a password. All its other sessions end.",
    params: z.object({
      username: e.newUsername,
      password: e.password,
      email: e.email.optional(),
      locale: e.locale.optional(),
      inviteCode,
    }),
    result: e.SessionTokensSchema,
    permission: { rule: "session" },
    startsSession: true,
    errors: ["NOT_A_GUEST", ...NEW_ACCOUNT_ERRORS],
    ...credentialCall,
  }),
  refresh: mutation({
    summary: "Exchange a refresh token for new tokens. Using a token twice ends its session.",
    params: z.object({ refreshToken: z.string().min(1).max(LIMITS.refreshTokenMaxChars) }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    worksInMaintenance: true,
    errors: ["USER_DISABLED", "UNAUTHENTICATED", "SESSION_REVOKED"],
    rateLimit: perMinute(120),
    transports: ["http"],
  }),
  logout: mutation({
    summary: "End this session.",
    ...endingSession,
  }),
  logoutAll: mutation({
    summary: "End all sessions of this user, this one included.",
    ...endingSession,
  }),
  listSessions: query({
    summary: "The caller's active sessions, newest first.",
    result: z.object({ sessions: z.array(e.SessionSchema) }),
    permission: { rule: "session" },
  }),
  revokeSession: mutation({
    summary: "End one of the caller's sessions; its sockets close at once.",
    params: z.object({ sessionId: e.id }),
    permission: { rule: "session" },
    worksInMaintenance: true,
    errors: ["SESSION_NOT_FOUND"],
    // It can be this session, and then a result by socket would not arrive.
    transports: ["http"],
  }),
  me: query({
    summary: "The logged-in user.",
    result: z.object({ user: e.OwnUserSchema }),
    permission: { rule: "session" },
    worksWithoutSecondFactor: true,
    botScope: "any",
  }),
  get: query({
    summary: "One user's public profile.",
    params: e.ofUser,
    result: z.object({ user: e.UserSchema }),
    permission: { rule: "session" },
    botScope: "group.read",
    errors: ["USER_NOT_FOUND"],
  }),
  findByUsername: internal({
    summary: "The user with this name, ignoring case.",
    params: z.object({ username: e.username }),
    result: z.object({ user: e.UserSchema }),
    errors: ["USER_NOT_FOUND"],
  }),
  getMany: query({
    summary: "Public profiles of several users; missing users are left out.",
    params: e.ofUsers,
    result: z.object({ users: z.array(e.UserSchema) }),
    permission: { rule: "session" },
    botScope: "group.read",
  }),
  updateProfile: mutation({
    summary: "Update the caller's profile and email language. Omitted fields stay unchanged.",
    params: z.object({
      nickname: e.nickname.optional(),
      bio: e.bio.optional(),
      customStatus: e.CustomStatusSchema.refine(
        ({ emoji, text }) => emoji !== null || text !== "",
        "give an emoji, or a text",
      )
        .nullable()
        .optional()
        .describe("null: removes it"),
      locale: e.locale.optional(),
    }),
    result: z.object({ user: e.OwnUserSchema }),
    permission: { rule: "session" },
    // Each change is published to all members of up to LIMITS.groupsPerUser groups.
    rateLimit: perMinute(10),
  }),
  setAvatar: mutation({
    summary: "Set the caller's profile picture.",
    params: e.ofUploadedPicture,
    result: z.object({ user: e.OwnUserSchema }),
    permission: { rule: "session" },
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED"],
    rateLimit: perMinute(20),
  }),
  removeAvatar: mutation({
    summary: "Remove the caller's profile picture. Repeatable.",
    result: z.object({ user: e.OwnUserSchema }),
    permission: { rule: "session" },
  }),
  setPreferences: mutation({
    summary: "Change some of the caller's preferences. Omitted ones stay unchanged.",
    params: e.PreferencesSchema,
    result: z.object({ user: e.OwnUserSchema }),
    permission: { rule: "session" },
    rateLimit: perMinute(60),
  }),
  changePassword: mutation({
    summary: "Change the password. All sessions end, including this one: continue with the returned tokens.",
    params: z.object({
      oldPassword: password,
      newPassword: e.password,
      revokeTokens: z
        .boolean()
        .default(false)
        .describe(
          "Also removes the user's passkeys, deletes their webhooks and revokes the tokens of their bots.",
        ),
    }),
    result: e.SessionTokensSchema,
    permission: { rule: "account" },
    startsSession: true,
    endsSession: true,
    errors: [...PASSWORD_ERRORS, "USER_DISABLED", "WEAK_PASSWORD", "PASSWORD_IN_DIRECTORY"],
    ...credentialCall,
  }),
  hasSecondFactor: internal({
    summary:
      "Whether a session meets a policy that requires a second factor: its account has one, or it was opened by single sign-on.",
    params: z.object({ userId: e.id, sessionId: e.id }),
    result: z.object({ has: z.boolean() }),
  }),
  touchSessions: internal({
    summary: "Note that these sessions were used a moment ago.",
    params: z.object({ sessionIds: z.array(e.id).max(LIMITS.sessionsPerReport) }),
  }),
  listRevokedSessions: internal({
    summary: "Ended sessions whose access tokens can still be valid.",
    params: z.object({
      withinMs: z.int().positive().optional().describe("only sessions that ended within this time"),
    }),
    result: z.object({ sessionIds: z.array(e.id) }),
  }),
};
