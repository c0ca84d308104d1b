import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const nothing = z.object({});
const minute = 60_000;
/** Each call costs a password hash, so it is limited more tightly. */
const credentialLimit = { points: 20, durationMs: minute, perAddress: true, exact: true };
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
  register: action({
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
    mutates: true,
    botScope: "any",
    cost: 5,
    startsSession: true,
    errors: NEW_ACCOUNT_ERRORS,
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  login: action({
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
    mutates: true,
    worksInMaintenance: true,
    botScope: "any",
    cost: 5,
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
  createGuest: action({
    summary: "Come in as a guest, without a password.",
    params: z.object({ nickname: e.nickname.optional() }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    mutates: true,
    botScope: "any",
    cost: 3,
    startsSession: true,
    errors: ["GUESTS_DISABLED", "LIMIT_REACHED"],
    rateLimit: { points: 60, durationMs: minute, exact: true },
    transports: ["http"],
  }),
  claimGuest: action({
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
    mutates: true,
    botScope: null,
    cost: 5,
    startsSession: true,
    errors: ["NOT_A_GUEST", ...NEW_ACCOUNT_ERRORS],
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  refresh: action({
    summary: "Exchange a refresh token for new tokens. A token that is used twice ends its session.",
    params: z.object({ refreshToken: z.string().min(1).max(LIMITS.refreshTokenMaxChars) }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    mutates: true,
    worksInMaintenance: true,
    botScope: "any",
    cost: 2,
    errors: ["USER_DISABLED", "UNAUTHENTICATED", "SESSION_REVOKED"],
    rateLimit: { points: 120, durationMs: minute },
    transports: ["http"],
  }),
  logout: action({
    summary: "End this session.",
    params: nothing,
    result: nothing,
    permission: { rule: "session" },
    mutates: true,
    worksInMaintenance: true,
    worksWithoutSecondFactor: true,
    botScope: null,
    cost: 2,
    endsSession: true,
    // The session's sockets close at once, so an answer by socket would not arrive.
    transports: ["http"],
  }),
  logoutAll: action({
    summary: "End all sessions of this user, this one included.",
    params: nothing,
    result: nothing,
    permission: { rule: "session" },
    mutates: true,
    worksInMaintenance: true,
    worksWithoutSecondFactor: true,
    botScope: null,
    cost: 2,
    endsSession: true,
    // The session's sockets close at once, so an answer by socket would not arrive.
    transports: ["http"],
  }),
  me: action({
    summary: "The user that is logged in.",
    params: nothing,
    result: z.object({ user: e.OwnUserSchema }),
    permission: { rule: "session" },
    mutates: false,
    worksWithoutSecondFactor: true,
    botScope: "any",
    cost: 1,
  }),
  get: action({
    summary: "One user's public profile.",
    params: z.object({ userId: e.id }),
    result: z.object({ user: e.UserSchema }),
    permission: { rule: "session" },
    mutates: false,
    botScope: "group.read",
    cost: 1,
    errors: ["USER_NOT_FOUND"],
  }),
  findByUsername: action({
    summary: "The user with this name, however it is capitalised.",
    params: z.object({ username: e.username }),
    result: z.object({ user: e.UserSchema }),
    permission: { rule: "internal" },
    errors: ["USER_NOT_FOUND"],
  }),
  getMany: action({
    summary: "Public profiles of several users; those that do not exist are left out.",
    params: z.object({ userIds: z.array(e.id).min(1).max(LIMITS.usersPerLookup) }),
    result: z.object({ users: z.array(e.UserSchema) }),
    permission: { rule: "session" },
    mutates: false,
    botScope: "group.read",
    cost: 2,
  }),
  updateProfile: action({
    summary: "Change what others see of you, and the language of mails. What is left out stays as it is.",
    params: z.object({
      nickname: e.nickname.optional(),
      bio: e.bio.optional(),
      locale: e.locale.optional(),
    }),
    result: z.object({ user: e.OwnUserSchema }),
    permission: { rule: "session" },
    mutates: true,
    botScope: null,
    cost: 3,
    // Each is told to everybody in up to LIMITS.groupsPerUser groups.
    rateLimit: { points: 10, durationMs: minute },
  }),
  changePassword: action({
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
    mutates: true,
    botScope: null,
    cost: 5,
    startsSession: true,
    endsSession: true,
    errors: ["WRONG_CREDENTIALS", "USER_DISABLED", "WEAK_PASSWORD"],
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  hasSecondFactor: action({
    summary:
      "Whether a session meets a policy that requires a second factor: its account has one, or it was opened by OpenID Connect.",
    params: z.object({ userId: e.id, sessionId: e.id }),
    result: z.object({ has: z.boolean() }),
    permission: { rule: "internal" },
  }),
  listRevokedSessions: action({
    summary: "Sessions that ended while access tokens of theirs may still be valid.",
    params: z.object({
      withinMs: z.int().positive().optional().describe("only those that ended so recently"),
    }),
    result: z.object({ sessionIds: z.array(e.id) }),
    permission: { rule: "internal" },
  }),
};
