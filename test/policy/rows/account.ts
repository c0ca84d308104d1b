import { row, outcomes, everybody, accountsOnly, freshName, password, type Outcome } from "../row.ts";

const toAll = (outcome: Outcome) => outcomes(outcome, outcome, outcome, outcome, outcome);
const oidc = { oidcCode: "made-up", verifier: "made-up" };

export const accountRows = {
  "user.requestPasswordReset": row("user.requestPasswordReset", everybody, () => ({
    email: `${freshName()}@example.org`,
  })),
  "user.resetPassword": row("user.resetPassword", toAll("INVALID_LINK"), () => ({
    token: "made-up",
    newPassword: password,
  })),
  "user.requestEmailVerification": row("user.requestEmailVerification", accountsOnly, () => ({})),
  "user.verifyEmail": row("user.verifyEmail", toAll("INVALID_LINK"), () => ({ token: "made-up" })),
  "user.changeEmail": row("user.changeEmail", accountsOnly, () => ({
    email: `${freshName()}@example.org`,
    password,
  })),
  "user.setupTotp": row("user.setupTotp", accountsOnly, () => ({ password })),
  "user.enableTotp": row("user.enableTotp", accountsOnly, () => ({ code: "000000" })),
  "user.disableTotp": row("user.disableTotp", accountsOnly, () => ({ password, code: "000000" })),
  "user.exchangeOidcCode": row("user.exchangeOidcCode", toAll("OIDC_FAILED"), () => oidc),
  "user.linkOidc": row("user.linkOidc", accountsOnly, () => ({ ...oidc, password })),
  "user.unlinkOidc": row("user.unlinkOidc", accountsOnly, () => ({ password })),
};
