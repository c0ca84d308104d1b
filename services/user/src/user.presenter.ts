import type { AdminUser, Locale, OwnUser, Passkey, User } from "@fanfare/contract";
import { oidcLinks } from "./external-logins.ts";
import { hasPassword, isPasswordInDirectory } from "./session.policy.ts";
import type { StoredPasskey, UserDocument } from "./user.model.ts";

const DEFAULT_LOCALE = "en";

export function localeOf({ locale }: Pick<UserDocument, "locale">): Locale {
  return locale ?? DEFAULT_LOCALE;
}

/** Visible to everyone. */
export function presentUser(user: UserDocument): User {
  return {
    id: user._id,
    username: user.username ?? null,
    nickname: user.nickname,
    avatarUrl: user.avatarUrl,
    bio: user.bio ?? "",
    ...presentCustomStatus(user),
    kind: user.kind,
    createdAt: user.createdAt.toISOString(),
    ...(user.deletedAt !== undefined && { deleted: true as const }),
  };
}

function presentCustomStatus({ customStatus }: UserDocument): Pick<User, "customStatus"> {
  if (!customStatus) return {};
  const { emoji, text, expiresAt } = customStatus;
  if (expiresAt !== null && expiresAt <= new Date()) return {};
  return { customStatus: { emoji, text, expiresAt: expiresAt?.toISOString() ?? null } };
}

/** Visible to instance admins. */
export function presentAdminUser(user: UserDocument): AdminUser {
  return {
    ...presentUser(user),
    email: user.email ?? null,
    admin: user.admin === true,
    totpEnabled: user.totp !== undefined,
    disabledAt: user.disabledAt?.toISOString() ?? null,
  };
}

/** Visible only to the user. */
export function presentPasskey({ credentialId, name, createdAt, lastUsedAt }: StoredPasskey): Passkey {
  return {
    id: credentialId,
    name,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

/** Visible only to the user. */
export function presentOwnUser(user: UserDocument): OwnUser {
  const links = oidcLinks(user);
  return {
    ...presentUser(user),
    email: user.email ?? null,
    emailVerified: user.emailVerifiedAt !== undefined,
    locale: localeOf(user),
    hasPassword: hasPassword(user),
    ...(isPasswordInDirectory(user) && { passwordInDirectory: true as const }),
    totpEnabled: user.totp !== undefined,
    oidcLinked: links.length > 0,
    oidcProviders: links.map(({ provider }) => provider),
    admin: user.admin === true,
    ...(user.preferences !== undefined && { preferences: user.preferences }),
  };
}
