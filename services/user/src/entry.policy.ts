import type { InstancePolicy } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";

/**
 * Checks that the policy lets someone create an account, with a password or by OpenID Connect.
 * @throws {ServiceError} REGISTRATION_CLOSED, INVITE_REQUIRED, EMAIL_DOMAIN_NOT_ALLOWED
 */
export function assertCanRegister(
  policy: Pick<InstancePolicy, "registration" | "mailDomains">,
  { email, inviteCode }: { email?: string | null | undefined; inviteCode?: string | undefined },
): void {
  if (policy.registration === "closed") throw serviceError("REGISTRATION_CLOSED");
  if (policy.registration === "invite" && inviteCode === undefined) throw serviceError("INVITE_REQUIRED");
  assertAllowedDomain(policy, email);
}

/** @throws {ServiceError} EMAIL_DOMAIN_NOT_ALLOWED, also without an address where the policy names domains */
export function assertAllowedDomain(
  { mailDomains }: Pick<InstancePolicy, "mailDomains">,
  email: string | null | undefined,
): void {
  if (mailDomains.length === 0) return;
  const domain = email?.slice(email.lastIndexOf("@") + 1).toLowerCase();
  if (domain === undefined || !mailDomains.includes(domain))
    throw serviceError("EMAIL_DOMAIN_NOT_ALLOWED", { domains: [...mailDomains] });
}

/** @throws {ServiceError} OIDC_REQUIRED where passwords are not accepted */
export function assertPasswordsAccepted({ oidcOnly }: Pick<InstancePolicy, "oidcOnly">): void {
  if (oidcOnly) throw serviceError("OIDC_REQUIRED");
}
