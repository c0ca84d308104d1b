import { row, freshName, password } from "../row.ts";

const credential = { id: "made-up", rawId: "made-up", type: "public-key" as const };
const clientDataJSON = "made-up";
const challenge = "made-up";
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
  "user.listPasskeys": row("user.listPasskeys", () => ({})),
  "user.startPasskeySetup": row("user.startPasskeySetup", () => ({ password })),
  "user.addPasskey": row(
    "user.addPasskey",
    () => ({
      name: "A passkey",
      challenge,
      credential: { ...credential, response: { clientDataJSON, attestationObject: "made-up" } },
    }),
    { why: "the challenge is invalid", allowed: "PASSKEY_REFUSED" },
  ),
  "user.renamePasskey": row("user.renamePasskey", () => ({ passkeyId: "made-up", name: "A passkey" }), {
    why: "none of them has one",
    allowed: "PASSKEY_NOT_FOUND",
  }),
  "user.removePasskey": row("user.removePasskey", () => ({ passkeyId: "made-up", password }), {
    why: "none of them has one",
    allowed: "PASSKEY_NOT_FOUND",
  }),
  "user.startPasskeyLogin": row("user.startPasskeyLogin", () => ({})),
  "user.loginWithPasskey": row(
    "user.loginWithPasskey",
    () => ({
      challenge,
      credential: {
        ...credential,
        response: { clientDataJSON, authenticatorData: "made-up", signature: "made-up" },
      },
    }),
    { why: "the challenge is invalid", allowed: "PASSKEY_REFUSED" },
  ),
};
