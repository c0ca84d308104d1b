import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const hour = 60 * 60_000;
/** Each call costs a password hash, or lets somebody guess. */
const credentialLimit = { ...perMinute(20), perAddress: true, exact: true };
/** Each call may send a mail. */
const mailLimit = { points: 10, durationMs: hour, perAddress: true, exact: true };

const password = z.string().min(1).max(LIMITS.passwordMaxChars);
const secret = z.string().min(1).max(LIMITS.secretMaxChars);
const code = z
  .string()
  .min(1)
  .max(LIMITS.codeMaxChars)
  .describe("Six digits of the authenticator app, or a recovery code.");

/** What the page shows to our server to prove that it began this login: see `GET /auth/oidc/start`. */
const oidcLogin = {
  oidcCode: secret.describe("From the fragment of the address that the provider's login ended at."),
  verifier: secret.describe("Its SHA-256 in base64url was the `challenge` of `GET /auth/oidc/start`."),
};

/** Proof that the caller is the owner of the account and not just in possession of a session. */
const confirmation = {
  password: password.optional().describe("Required where the account has one."),
  oidcCode: oidcLogin.oidcCode
    .optional()
    .describe("For an account without a password: of a login begun with `fresh=1`."),
  verifier: oidcLogin.verifier.optional(),
};

/** What keeps an account its owner's: passwords, addresses, the second factor, logins at an OIDC provider. */
export const userActions = {
  requestPasswordReset: mutation({
    summary:
      "Have a link to set a new password sent. The answer is the same whether there is such an account.",
    params: z.object({ email: e.email }),
    permission: { rule: "public" },
    errors: ["OIDC_REQUIRED"],
    rateLimit: { ...mailLimit, perValueOf: { param: "email", points: 3, durationMs: hour } },
    transports: ["http"],
  }),
  resetPassword: mutation({
    summary:
      "Set a new password with the token of the link that was mailed; all sessions end. Where this verifies the address for the first time, " +
      "everything that was set up before goes too: the linked login, the second factor, webhooks and bots.",
    params: z.object({
      token: secret,
      newPassword: e.password,
      removeOtherSignIns: z
        .boolean()
        .default(false)
        .describe(
          "Also unlinks the OIDC login, deletes the user's webhooks and revokes the tokens of their bots.",
        ),
    }),
    result: z.object({
      username: z.string().nullable(),
      email: z.string().nullable().describe("the verified address"),
    }),
    permission: { rule: "public" },
    errors: ["INVALID_LINK", "WEAK_PASSWORD"],
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  inspectPasswordReset: query({
    summary: "The account that a mailed link sets the password of, and how else it can be signed in to.",
    params: z.object({ token: secret }),
    result: z.object({
      username: z.string().nullable(),
      oidcProvider: z.string().nullable().describe("Host of the OIDC provider whose login is linked."),
      isNew: z.boolean().describe("The account has no way to sign in yet: an admin has created it."),
      removesAll: z
        .boolean()
        .describe("The address was never verified, so the reset removes every other way to sign in."),
    }),
    permission: { rule: "public" },
    errors: ["INVALID_LINK"],
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  requestEmailVerification: mutation({
    summary: "Have the link that verifies the own e-mail address sent again.",
    permission: { rule: "account" },
    errors: ["EMAIL_MISSING"],
    rateLimit: mailLimit,
  }),
  inspectEmailVerification: query({
    summary: "The account and e-mail address of a verification link.",
    params: z.object({ token: secret }),
    result: z.object({ username: z.string().nullable(), email: e.email }),
    permission: { rule: "public" },
    errors: ["INVALID_LINK"],
    rateLimit: perMinute(30),
    transports: ["http"],
  }),
  verifyEmail: mutation({
    summary: "Verify an e-mail address, or change to a new one, with the token of the link that was mailed.",
    params: z.object({ token: secret }),
    permission: { rule: "public" },
    errors: ["INVALID_LINK", "EMAIL_TAKEN"],
    rateLimit: perMinute(30),
    transports: ["http"],
  }),
  changeEmail: mutation({
    summary:
      "Have a link sent to a new e-mail address. It takes the old one's place when the link is opened.",
    params: z.object({ email: e.email, ...confirmation }),
    permission: { rule: "account" },
    errors: [
      "WRONG_CREDENTIALS",
      "OIDC_FAILED",
      "LOGIN_NOT_FRESH",
      "EMAIL_TAKEN",
      "EMAIL_DOMAIN_NOT_ALLOWED",
    ],
    rateLimit: mailLimit,
  }),
  setupTotp: mutation({
    summary:
      "Make a new secret for an authenticator app. It counts once `user.enableTotp` has seen a code of it.",
    params: z.object(confirmation),
    result: z.object({
      secret: z.string().describe("Base32, to be typed into the app."),
      uri: z.string().describe("otpauth://, to be shown as a QR code."),
    }),
    permission: { rule: "account" },
    worksWithoutSecondFactor: true,
    errors: ["WRONG_CREDENTIALS", "OIDC_FAILED", "LOGIN_NOT_FRESH", "TOTP_ALREADY_ON"],
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  enableTotp: mutation({
    summary: "Ask for a code at each login from now on. The recovery codes are shown once, here.",
    params: z.object({ code }),
    result: z.object({ recoveryCodes: z.array(z.string()).describe("Each is good for one login.") }),
    permission: { rule: "account" },
    worksWithoutSecondFactor: true,
    errors: ["WRONG_CODE", "TOTP_ALREADY_ON", "TOTP_NOT_SET_UP"],
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  disableTotp: mutation({
    summary:
      "Ask for no code at login any more. Refused while the policy requires a second factor of the account.",
    params: z.object({ ...confirmation, code }),
    permission: { rule: "account" },
    errors: [
      "WRONG_CREDENTIALS",
      "OIDC_FAILED",
      "LOGIN_NOT_FRESH",
      "WRONG_CODE",
      "TOTP_NOT_SET_UP",
      "SECOND_FACTOR_REQUIRED",
    ],
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  exchangeOidcCode: mutation({
    summary: "Log in with what the login at the OIDC provider ended with. The first time makes an account.",
    params: z.object({
      ...oidcLogin,
      code: code.optional(),
      inviteCode: e.inviteCode
        .optional()
        .describe("As of `user.register`; without effect where the identity has an account."),
    }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    worksInMaintenance: true,
    startsSession: true,
    errors: [
      "OIDC_FAILED",
      "EMAIL_TAKEN",
      "REGISTRATION_CLOSED",
      "INVITE_REQUIRED",
      "INVITE_NOT_FOUND",
      "BANNED",
      "LIMIT_REACHED",
      "EMAIL_DOMAIN_NOT_ALLOWED",
      "EMAIL_NOT_VERIFIED",
      "TOTP_REQUIRED",
      "WRONG_CODE",
      "USER_DISABLED",
      "WRONG_CREDENTIALS",
    ],
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  linkOidc: mutation({
    summary: "Let the account be logged in to by the OIDC provider too.",
    params: z.object({ ...oidcLogin, password }),
    result: z.object({ user: e.OwnUserSchema }),
    permission: { rule: "account" },
    errors: ["WRONG_CREDENTIALS", "OIDC_FAILED", "OIDC_LINKED"],
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  unlinkOidc: mutation({
    summary: "Let the account no longer be logged in to by the OIDC provider.",
    params: z.object({ password }),
    result: z.object({ user: e.OwnUserSchema }),
    permission: { rule: "account" },
    errors: ["WRONG_CREDENTIALS"],
    rateLimit: credentialLimit,
    transports: ["http"],
  }),
  startOidc: internal({
    summary: "Begin a login at the OIDC provider.",
    params: z.object({
      challenge: z.string(),
      isFresh: z.boolean().describe("Whether the provider has to ask for its password again."),
    }),
    result: z.object({
      authorizationUrl: z.string(),
      flow: z.string().describe("What the browser keeps as a cookie until it is back."),
    }),
  }),
  finishOidc: internal({
    summary: "Take what the provider sent the browser back with.",
    params: z.object({ query: z.string(), flow: z.string() }),
    result: z.object({ oidcCode: z.string() }),
    errors: ["OIDC_FAILED"],
  }),
};
