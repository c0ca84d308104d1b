import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

/** Each call costs a password hash, so it is limited more tightly. */
const credentialLimit = { ...perMinute(20), perAddress: true, exact: true };
/**
 * Against many addresses that guess at one account. Counted by the name as it comes in, so that an account's two names share nothing:
 * else who uses up the one would learn whose address the other is.
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

export const userActions = {
  register: mutation({
    summary: "Make an account and log in.",
    params: z.object({
      username: e.newUsername,
      password: e.password,
      nickname: e.nickname.optional(),
      email: e.email.optional(),
      locale: e.locale.optional(),
      inviteCode,
    }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    startsSession: true,
    errors: NEW_ACCOUNT_ERRORS,
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  login: mutation({
    summary: "Log in with a username, or an e-mail address, and a password.",
    params: z.object({
      username: z.string().min(1).max(LIMITS.emailMaxChars),
      password: z.string().min(1).max(LIMITS.passwordMaxChars),
      code: z
        .string()
        .min(1)
        .max(LIMITS.codeMaxChars)
        .optional()
        .describe("When the answer was TOTP_REQUIRED: of the authenticator app, or a recovery code."),
      email: e.email
        .optional()
        .describe(
          "When the answer was EMAIL_NOT_VERIFIED: a new link is sent to this address, and the answer is the same again.",
        ),
    }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    worksInMaintenance: true,
    startsSession: true,
    errors: [
      "USER_DISABLED",
      "WRONG_CREDENTIALS",
      "TOTP_REQUIRED",
      "WRONG_CODE",
      "EMAIL_NOT_VERIFIED",
      "EMAIL_DOMAIN_NOT_ALLOWED",
      "EMAIL_TAKEN",
      "OIDC_REQUIRED",
    ],
    rateLimit: { ...credentialLimit, perValueOf: guessLimit },
    transports: ["http"],
  }),
  createGuest: mutation({
    summary: "Come in as a guest, without a password.",
    params: z.object({ nickname: e.nickname.optional() }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    startsSession: true,
    errors: ["GUESTS_DISABLED", "LIMIT_REACHED"],
    rateLimit: { ...perMinute(60), exact: true },
    transports: ["http"],
  }),
  claimGuest: mutation({
    summary: "Turn the guest that is logged in into an account with a password; all its other sessions end.",
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
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  refresh: mutation({
    summary: "Exchange a refresh token for new tokens. A token that is used twice ends its session.",
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
    permission: { rule: "session" },
    worksInMaintenance: true,
    worksWithoutSecondFactor: true,
    endsSession: true,
    // The session's sockets close at once, so an answer by socket would not arrive.
    transports: ["http"],
  }),
  logoutAll: mutation({
    summary: "End all sessions of this user, this one included.",
    permission: { rule: "session" },
    worksInMaintenance: true,
    worksWithoutSecondFactor: true,
    endsSession: true,
    // The session's sockets close at once, so an answer by socket would not arrive.
    transports: ["http"],
  }),
  me: query({
    summary: "The user that is logged in.",
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
    summary: "The user with this name, however it is capitalised.",
    params: z.object({ username: e.username }),
    result: z.object({ user: e.UserSchema }),
    errors: ["USER_NOT_FOUND"],
  }),
  getMany: query({
    summary: "Public profiles of several users; those that do not exist are left out.",
    params: z.object({ userIds: z.array(e.id).min(1).max(LIMITS.usersPerLookup) }),
    result: z.object({ users: z.array(e.UserSchema) }),
    permission: { rule: "session" },
    botScope: "group.read",
  }),
  updateProfile: mutation({
    summary: "Change what others see of you, and the language of mails. What is left out stays as it is.",
    params: z.object({
      nickname: e.nickname.optional(),
      bio: e.bio.optional(),
      locale: e.locale.optional(),
    }),
    result: z.object({ user: e.OwnUserSchema }),
    permission: { rule: "session" },
    // Each is told to everybody in up to LIMITS.groupsPerUser groups.
    rateLimit: perMinute(10),
  }),
  changePassword: mutation({
    summary: "Change the password. All sessions end, this one too: go on with the new one that is answered.",
    params: z.object({
      oldPassword: z.string().min(1).max(LIMITS.passwordMaxChars),
      newPassword: e.password,
      revokeTokens: z
        .boolean()
        .default(false)
        .describe("Also deletes the user's webhooks and revokes the tokens of their bots."),
    }),
    result: e.SessionTokensSchema,
    permission: { rule: "account" },
    startsSession: true,
    endsSession: true,
    errors: ["WRONG_CREDENTIALS", "USER_DISABLED", "WEAK_PASSWORD"],
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  hasSecondFactor: internal({
    summary:
      "Whether a session meets a policy that requires a second factor: its account has one, or it was opened by OpenID Connect.",
    params: z.object({ userId: e.id, sessionId: e.id }),
    result: z.object({ has: z.boolean() }),
  }),
  listRevokedSessions: internal({
    summary: "Sessions that ended while access tokens of theirs may still be valid.",
    params: z.object({
      withinMs: z.int().positive().optional().describe("only those that ended so recently"),
    }),
    result: z.object({ sessionIds: z.array(e.id) }),
  }),
};
