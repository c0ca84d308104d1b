import type { AdminUser, Locale, OwnUser, User } from "@fanfare/contract";
import type { UserDocument } from "./user.model.ts";

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
    kind: user.kind,
    createdAt: user.createdAt.toISOString(),
    ...(user.deletedAt !== undefined && { deleted: true as const }),
  };
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
export function presentOwnUser(user: UserDocument): OwnUser {
  return {
    ...presentUser(user),
    email: user.email ?? null,
    emailVerified: user.emailVerifiedAt !== undefined,
    locale: localeOf(user),
    hasPassword: user.passwordHash !== undefined,
    totpEnabled: user.totp !== undefined,
    oidcLinked: user.oidcKey !== undefined,
    admin: user.admin === true,
  };
}
