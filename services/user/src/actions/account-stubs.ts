import { serviceError } from "@fanfare/kernel";
const stub = (code: any) =>
  (async () => {
    throw (serviceError as any)(code);
  }) as any;
export const accountStubs = {
  "user.requestPasswordReset": (async () => ({})) as any,
  "user.resetPassword": stub("INVALID_LINK"),
  "user.requestEmailVerification": stub("EMAIL_MISSING"),
  "user.verifyEmail": stub("INVALID_LINK"),
  "user.changeEmail": stub("WRONG_CREDENTIALS"),
  "user.setupTotp": stub("WRONG_CREDENTIALS"),
  "user.enableTotp": stub("TOTP_NOT_SET_UP"),
  "user.disableTotp": stub("TOTP_NOT_SET_UP"),
  "user.exchangeOidcCode": stub("OIDC_FAILED"),
  "user.linkOidc": stub("OIDC_FAILED"),
  "user.unlinkOidc": stub("WRONG_CREDENTIALS"),
  "user.startOidc": stub("OIDC_FAILED"),
  "user.finishOidc": stub("OIDC_FAILED"),
};
