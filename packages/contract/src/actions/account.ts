import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

/** Each call costs a password hash or is an attempt to guess. */
export const credentialLimit = { ...perMinute(20), perAddress: true, exact: true };

/** Most actions that take or return credentials. */
export const credentialCall = { rateLimit: credentialLimit, transports: ["http"] } as const;

/** An existing one: the rules for new ones are those of `e.password`. */
export const password = z.string().min(1).max(LIMITS.passwordMaxChars);

export const code = z
  .string()
  .min(1)
  .max(LIMITS.codeMaxChars)
  .describe("Six digits of the authenticator app, or a recovery code.");

export const loginCode = code.optional().describe("required if a login asks for one");

/** Of actions that verify a password. */
export const PASSWORD_ERRORS = ["WRONG_CREDENTIALS", "LDAP_UNAVAILABLE"] as const;

const hour = 60 * 60_000;
/** Each call can send an email. */
const mailLimit = { points: 10, durationMs: hour, perAddress: true, exact: true };

const secret = z.string().min(1).max(LIMITS.secretMaxChars);

/** Proves that the same page started this login: see `GET /auth/oidc/start`. */
const oidcLogin = {
  oidcCode: secret.describe("From the fragment of the URL that the provider's login redirected to."),
  verifier: secret.describe("Its SHA-256 in base64url was the `challenge` of `GET /auth/oidc/start`."),
};

/** Absent in calls from gateways of versions with only one provider. */
const providerOrDefault = z.string().default("default");

/** Proves that the caller owns the account, beyond holding a session. */
export const confirmation = {
  password: password.optional().describe("Required if the account has one."),
  oidcCode: oidcLogin.oidcCode
    .optional()
    .describe("For an account without a password: from a login started with `fresh=1`."),
  verifier: oidcLogin.verifier.optional(),
};

export const CONFIRMATION_ERRORS = [...PASSWORD_ERRORS, "OIDC_FAILED", "LOGIN_NOT_FRESH"] as const;

/** Account security: passwords, email addresses, second factors and logins of single sign-on, which `oidc` stands for. */
export const userActions = {
  requestPasswordReset: mutation({
    summary: "Email a link to reset the password. The result is the same whether or not the account exists.",
    params: z.object({ email: e.email }),
    permission: { rule: "public" },
    errors: ["OIDC_REQUIRED"],
    rateLimit: { ...mailLimit, perValueOf: { param: "email", points: 3, durationMs: hour } },
    transports: ["http"],
  }),
  resetPassword: mutation({
    summary:
      "Set a new password with the token from the emailed link. All sessions end. If this verifies the address for the first time, " +
      "the linked login, passkeys, second factor, webhooks and bots are removed too.",
    params: z.object({
      token: secret,
      newPassword: e.password,
      removeOtherSignIns: z
        .boolean()
        .default(false)
        .describe(
          "Also unlinks the OIDC login, removes the passkeys, deletes the user's webhooks and revokes the tokens of their bots.",
        ),
    }),
    result: z.object({
      username: z.string().nullable(),
      email: z.string().nullable().describe("the verified address"),
    }),
    permission: { rule: "public" },
    errors: ["INVALID_LINK", "WEAK_PASSWORD", "PASSWORD_IN_DIRECTORY"],
    ...credentialCall,
  }),
  inspectPasswordReset: query({
    summary: "The account that a password reset link belongs to, and its other ways to log in.",
    params: z.object({ token: secret }),
    result: z.object({
      username: z.string().nullable(),
      oidcProvider: z
        .string()
        .nullable()
        .describe(
          "The providers whose logins are linked, separated by commas: hosts with OIDC, names with SAML.",
        ),
      isNew: z.boolean().describe("The account has no way to sign in yet: an admin has created it."),
      removesAll: z
        .boolean()
        .describe("The address was never verified, so the reset removes every other way to sign in."),
    }),
    permission: { rule: "public" },
    errors: ["INVALID_LINK"],
    ...credentialCall,
  }),
  requestEmailVerification: mutation({
    summary: "Resend the verification link for the caller's email address.",
    permission: { rule: "account" },
    errors: ["EMAIL_MISSING"],
    rateLimit: mailLimit,
  }),
  inspectEmailVerification: query({
    summary: "The account and email address of a verification link.",
    params: z.object({ token: secret }),
    result: z.object({ username: z.string().nullable(), email: e.email }),
    permission: { rule: "public" },
    errors: ["INVALID_LINK"],
    rateLimit: perMinute(30),
    transports: ["http"],
  }),
  verifyEmail: mutation({
    summary: "Verify an email address, or change to a new one, with the token from the emailed link.",
    params: z.object({ token: secret }),
    permission: { rule: "public" },
    errors: ["INVALID_LINK", "EMAIL_TAKEN"],
    rateLimit: perMinute(30),
    transports: ["http"],
  }),
  changeEmail: mutation({
    summary: "Email a link to a new address. The address changes when the link is opened.",
    params: z.object({ email: e.email, ...confirmation }),
    permission: { rule: "account" },
    errors: [...CONFIRMATION_ERRORS, "EMAIL_TAKEN", "EMAIL_DOMAIN_NOT_ALLOWED"],
    rateLimit: mailLimit,
  }),
  setupTotp: mutation({
    summary: "Create a new secret for an authenticator app. `user.enableTotp` activates it with a code.",
    params: z.object(confirmation),
    result: z.object({
      secret: z.string().describe("Base32, for manual entry in the app."),
      uri: z.string().describe("otpauth://, to be shown as a QR code."),
    }),
    permission: { rule: "account" },
    worksWithoutSecondFactor: true,
    errors: [...CONFIRMATION_ERRORS, "TOTP_ALREADY_ON"],
    ...credentialCall,
  }),
  enableTotp: mutation({
    summary: "Require a code at each login. The recovery codes are shown only in this result.",
    params: z.object({ code }),
    result: z.object({ recoveryCodes: z.array(z.string()).describe("Each works for one login.") }),
    permission: { rule: "account" },
    worksWithoutSecondFactor: true,
    errors: ["WRONG_CODE", "TOTP_ALREADY_ON", "TOTP_NOT_SET_UP"],
    ...credentialCall,
  }),
  disableTotp: mutation({
    summary:
      "Stop requiring a code at login. Rejected while the policy requires a second factor for the account.",
    params: z.object({ ...confirmation, code }),
    permission: { rule: "account" },
    errors: [...CONFIRMATION_ERRORS, "WRONG_CODE", "TOTP_NOT_SET_UP", "SECOND_FACTOR_REQUIRED"],
    ...credentialCall,
  }),
  exchangeOidcCode: mutation({
    summary:
      "Log in with the code from the login at an OIDC or SAML provider. The first login creates an account.",
    params: z.object({
      ...oidcLogin,
      code: code.optional(),
      inviteCode: e.inviteCode
        .optional()
        .describe("Like the one of `user.register`, but ignored if the identity already has an account."),
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
    ...credentialCall,
  }),
  linkOidc: mutation({
    summary:
      "Link a login at an OIDC or SAML provider to the account. It replaces another one of the same provider.",
    params: z.object({ ...oidcLogin, password }),
    result: z.object({ user: e.OwnUserSchema }),
    permission: { rule: "account" },
    errors: [...PASSWORD_ERRORS, "OIDC_FAILED", "OIDC_LINKED"],
    ...credentialCall,
  }),
  unlinkOidc: mutation({
    summary: "Unlink a login at an OIDC or SAML provider from the account.",
    params: z.object({
      password,
      provider: e.oidcProvider.optional().describe("If absent, the logins at all providers are unlinked."),
    }),
    result: z.object({ user: e.OwnUserSchema }),
    permission: { rule: "account" },
    errors: PASSWORD_ERRORS,
    ...credentialCall,
  }),
  startOidc: internal({
    summary: "Start a login at a provider of single sign-on.",
    params: z.object({
      provider: providerOrDefault,
      challenge: z.string(),
      isFresh: z.boolean().describe("Whether the provider must ask the user to authenticate again."),
    }),
    result: z.object({
      authorizationUrl: z.string(),
      flow: z
        .string()
        .nullable()
        .describe("Stored as a cookie in the browser during the login; null with SAML."),
    }),
  }),
  finishOidc: internal({
    summary: "Handle the redirect from an OIDC provider.",
    params: z.object({ provider: providerOrDefault, query: z.string(), flow: z.string() }),
    result: z.object({ oidcCode: z.string() }),
    errors: ["OIDC_FAILED"],
  }),
  finishSaml: internal({
    summary: "Handle the response of a SAML provider.",
    params: z.object({ provider: e.oidcProvider, response: z.string() }),
    result: z.object({
      oidcCode: z
        .string()
        .nullable()
        .describe("null: the login was started at the provider, so the page must start its own."),
    }),
    errors: ["OIDC_FAILED"],
  }),
  samlMetadata: internal({
    summary: "What a SAML provider needs to know of this server.",
    params: z.object({ provider: e.oidcProvider }),
    result: z.object({ xml: z.string() }),
    errors: ["OIDC_FAILED"],
  }),
};
