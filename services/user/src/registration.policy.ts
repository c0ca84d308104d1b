import type { InstancePolicy } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import type { AllUsersRepository } from "./user.repository.ts";

/**
 * Checks that the policy allows creating an account, with a password or by OpenID Connect.
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

/** @throws {ServiceError} EMAIL_DOMAIN_NOT_ALLOWED, also without an address when the policy restricts domains */
export function assertAllowedDomain(
  { mailDomains }: Pick<InstancePolicy, "mailDomains">,
  email: string | null | undefined,
): void {
  if (mailDomains.length === 0) return;
  const domain = email?.slice(email.lastIndexOf("@") + 1).toLowerCase();
  if (domain === undefined || !mailDomains.includes(domain))
    throw serviceError("EMAIL_DOMAIN_NOT_ALLOWED", { domains: [...mailDomains] });
}

/**
 * Concurrent calls can exceed the limit slightly.
 * @throws {ServiceError} LIMIT_REACHED when the instance would have more accounts and guests than the policy allows
 */
export async function assertBelowUserLimit(
  { usersPerInstance: max }: Pick<InstancePolicy, "usersPerInstance">,
  allUsers: AllUsersRepository,
  added = 1,
): Promise<void> {
  // The first count is cheap, but includes more than people.
  if (max === null) return;
  if ((await allUsers.count()) + added <= max || (await allUsers.countPeople(max)) + added <= max) return;
  throw serviceError("LIMIT_REACHED", { limit: "usersPerInstance", max });
}

/** @throws {ServiceError} OIDC_REQUIRED when passwords are disabled */
export function assertPasswordsAccepted({ oidcOnly }: Pick<InstancePolicy, "oidcOnly">): void {
  if (oidcOnly) throw serviceError("OIDC_REQUIRED");
}
