import { row, freshName, password } from "../row.ts";

const oidc = { oidcCode: "made-up", verifier: "made-up" };

export const accountRows = {
  "user.requestPasswordReset": row("user.requestPasswordReset", () => ({
    email: `${freshName()}@example.org`,
  })),
  "user.resetPassword": row("user.resetPassword", () => ({ token: "made-up", newPassword: password }), {
    why: "the token is invalid",
    allowed: "INVALID_LINK",
  }),
  "user.inspectPasswordReset": row("user.inspectPasswordReset", () => ({ token: "made-up" }), {
    why: "the token is invalid",
    allowed: "INVALID_LINK",
  }),
  "user.requestEmailVerification": row("user.requestEmailVerification", () => ({}), {
    why: "none of them has an email address",
    allowed: "EMAIL_MISSING",
  }),
  "user.inspectEmailVerification": row("user.inspectEmailVerification", () => ({ token: "made-up" }), {
    why: "the token is invalid",
    allowed: "INVALID_LINK",
  }),
  "user.verifyEmail": row("user.verifyEmail", () => ({ token: "made-up" }), {
    why: "the token is invalid",
    allowed: "INVALID_LINK",
  }),
  "user.changeEmail": row("user.changeEmail", () => ({
    email: `${freshName()}@example.org`,
    password,
  })),
  "user.setupTotp": row("user.setupTotp", () => ({ password })),
  "user.enableTotp": row("user.enableTotp", () => ({ code: "000000" }), {
    why: "none of them has begun",
    allowed: "TOTP_NOT_SET_UP",
  }),
  "user.disableTotp": row("user.disableTotp", () => ({ password, code: "000000" }), {
    why: "none of them has one",
    allowed: "TOTP_NOT_SET_UP",
  }),
  "user.exchangeOidcCode": row("user.exchangeOidcCode", () => oidc, {
    why: "there is no provider",
    allowed: "OIDC_FAILED",
  }),
  "user.linkOidc": row("user.linkOidc", () => ({ ...oidc, password }), {
    why: "there is no provider",
    allowed: "OIDC_FAILED",
  }),
  "user.unlinkOidc": row("user.unlinkOidc", () => ({ password })),
};
