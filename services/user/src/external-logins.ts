import { DEFAULT_PROVIDER } from "@fanfare/kernel";
import type { UserDocument } from "./user.model.ts";

/** An identity at an OIDC provider or in the LDAP directory. */
export interface ExternalKey {
  /** Id of the OIDC provider; null: the LDAP directory. */
  provider: string | null;
  key: string;
}

/** A login at an OIDC provider that is linked to an account. */
export interface OidcLink extends ExternalKey {
  provider: string;
}

type Stored = Pick<UserDocument, "oidcKey" | "oidcLogins">;

export function oidcLinks({ oidcKey, oidcLogins = [] }: Stored): OidcLink[] {
  return [...(oidcKey === undefined ? [] : [{ provider: DEFAULT_PROVIDER, key: oidcKey }]), ...oidcLogins];
}

/** The fields that store these links. */
export function storedLinks(links: readonly OidcLink[]): Stored {
  const first = links.find(({ provider }) => provider === DEFAULT_PROVIDER);
  const others = links.filter((link) => link !== first);
  return {
    ...(first !== undefined && { oidcKey: first.key }),
    ...(others.length > 0 && { oidcLogins: others }),
  };
}

/** The fields of a new account with this identity. */
export function storedIdentity({ provider, key }: ExternalKey): Stored & Pick<UserDocument, "ldapKey"> {
  return provider === null ? { ldapKey: key } : storedLinks([{ provider, key }]);
}

export function hasIdentity(user: UserDocument, { provider, key }: ExternalKey): boolean {
  // Whatever id the provider had when it was linked.
  return provider === null ? user.ldapKey === key : oidcLinks(user).some((link) => link.key === key);
}

/** @returns the links with the id that the provider has now; null when nothing needs to change */
export function withCurrentProvider(user: UserDocument, { provider, key }: ExternalKey): OidcLink[] | null {
  if (provider === null || hasLoginAt(user, provider)) return null;
  return oidcLinks(user).map((link) => (link.key === key ? { provider, key } : link));
}

/** Whether the account is linked to this or another identity of the same provider. */
export function hasLoginAt(user: UserDocument, provider: string | null): boolean {
  return provider === null
    ? user.ldapKey !== undefined
    : oidcLinks(user).some((link) => link.provider === provider);
}
