import { LIMITS } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import type { ConfirmPassword } from "./confirm-password.ts";
import type { OidcCodeRepository } from "./oidc/oidc-code.repository.ts";
import type { UserDocument } from "./user.model.ts";
import type { UserRepository } from "./user.repository.ts";

/** The password, or for an account without one a login at the OIDC provider. */
export interface Proof {
  password?: string | undefined;
  oidcCode?: string | undefined;
  verifier?: string | undefined;
}

export type Reauthenticate = ReturnType<typeof createReauthenticate>;

/** Checks that a logged-in caller owns the account, before they change how it is signed in to. */
export function createReauthenticate(
  users: UserRepository,
  oidcCodes: OidcCodeRepository,
  confirmPassword: ConfirmPassword,
) {
  /**
   * @throws {ServiceError} WRONG_CREDENTIALS, RATE_LIMITED, OVERLOADED as by `confirmPassword`; without a password OIDC_FAILED where the
   *   login is unknown or another account's, and LOGIN_NOT_FRESH where the provider did not ask for its password again
   */
  return async (userId: string, { password, oidcCode, verifier }: Proof): Promise<UserDocument> => {
    if (oidcCode === undefined || verifier === undefined) return confirmPassword(userId, password ?? "");
    const user = await users.find(userId);
    // A linked login must not stand for the password where there is one: whoever has the identity could then change the password's account.
    if (user === null || user.passwordHash !== undefined) throw serviceError("WRONG_CREDENTIALS");
    const identity = await oidcCodes.take({ oidcCode, verifier });
    if (identity === null || identity.key !== user.oidcKey) throw serviceError("OIDC_FAILED");
    const authenticatedAtMs = identity.authenticatedAt?.getTime() ?? 0;
    if (authenticatedAtMs < Date.now() - LIMITS.freshLoginMs) throw serviceError("LOGIN_NOT_FRESH");
    return user;
  };
}
