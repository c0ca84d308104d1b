import {
  type AdminUser,
  type Locale,
  type OwnUser,
  type Passkey,
  type User,
  userRoom,
} from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
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

/** Publishes the account to the user's own sockets only. */
export function publishAccount({ publish }: Pick<NodeContext, "publish">, user: UserDocument): void {
  publish(userRoom(user._id), "account.updated", { user: presentOwnUser(user) });
}

/** Publishes the profile to the user's own sockets, and to all who see it. */
export function publishProfile(
  { publish, broadcast }: Pick<NodeContext, "publish" | "broadcast">,
  user: UserDocument,
): void {
  const profile = { user: presentUser(user) };
  publish(userRoom(user._id), "user.updated", profile);
  broadcast("user.profileChanged", profile);
}
