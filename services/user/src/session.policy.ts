import { type InstancePolicy, LIMITS } from "@fanfare/contract";
import { matchesHash } from "@fanfare/kernel";
import { oidcLinks } from "./external-logins.ts";
import type { SessionBounds, SessionDocument } from "./session.repository.ts";
import type { UserDocument } from "./user.model.ts";

/** Whether the user exists and is neither disabled nor deleted. */
export function isActive(user: UserDocument | null): user is UserDocument {
  return user !== null && user.disabledAt === undefined && user.deletedAt === undefined;
}

/** Whether tokens issued for `before` are still correct for `now`. */
export function isSameStanding(now: UserDocument | null, before: UserDocument): boolean {
  return isActive(now) && now.admin === before.admin && now.kind === before.kind;
}

/** Whether the account was created under a policy that requires a verified address, and has not verified one yet. */
export function mustVerifyFirst({ mustVerifyEmail, emailVerifiedAt }: UserDocument): boolean {
  return mustVerifyEmail === true && emailVerifiedAt === undefined;
}

/** Whether its password is the one of the LDAP directory. */
export function isPasswordInDirectory({ passwordHash, ldapKey }: UserDocument): boolean {
  return passwordHash === undefined && ldapKey !== undefined;
}

/** Whether the user can prove with a password who they are. */
export function hasPassword(user: UserDocument): boolean {
  return user.passwordHash !== undefined || isPasswordInDirectory(user);
}

/** Whether an admin or an identity provider has created the account and its owner has not signed in yet. */
export function hasNoSignIn(user: UserDocument): boolean {
  return !hasPassword(user) && oidcLinks(user).length === 0;
}

const LONG_AGO = new Date(0);

/** @returns null when the policy ends no sessions */
export function boundsOf(
  { sessionMaxHours, sessionIdleMinutes }: Pick<InstancePolicy, "sessionMaxHours" | "sessionIdleMinutes">,
  now: Date,
): SessionBounds | null {
  if (sessionMaxHours === null && sessionIdleMinutes === null) return null;
  const before = (minutes: number | null): Date =>
    minutes === null ? LONG_AGO : new Date(now.getTime() - minutes * 60_000);
  return {
    openedBefore: before(sessionMaxHours === null ? null : sessionMaxHours * 60),
    // Until then a gateway may not have reported the last use.
    usedBefore: before(
      sessionIdleMinutes === null ? null : sessionIdleMinutes + LIMITS.sessionUseReportMs / 60_000,
    ),
  };
}

/** Whether the policy ends the session. Guests are exempt, because they could never come back. */
export function isOverdue(
  { createdAt, refreshedAt, usedAt = refreshedAt }: SessionDocument,
  { kind }: Pick<UserDocument, "kind">,
  bounds: SessionBounds | null,
): boolean {
  if (bounds === null || kind !== "member") return false;
  return createdAt < bounds.openedBefore || (refreshedAt < bounds.usedBefore && usedAt < bounds.usedBefore);
}

/**
 * The state of a presented refresh token.
 *
 * - `unknown`: not a token of this session, which is left alone because anyone can make up a token.
 * - `ended`: the session was revoked or has expired.
 * - `current`: the token is valid.
 * - `repeated`: the previous token within its grace period: the client has lost the response of its refresh.
 * - `reused`: a genuine token that was used up: the owner or a thief has a newer one, so the session must end.
 */
type RefreshVerdict = "unknown" | "ended" | "current" | "repeated" | "reused";

export function judgeRefresh(
  session: SessionDocument | null,
  token: RefreshToken,
  now: Date,
): RefreshVerdict {
  if (session === null || !matchesHash(token.family, session.familyHash)) return "unknown";
  if (session.revokedAt !== undefined || session.expiresAt <= now) return "ended";
  if (matchesHash(token.current, session.currentHash)) return "current";
  const inGrace = session.graceUntil !== null && now < session.graceUntil;
  const isPrevious = session.previousHash !== null && matchesHash(token.current, session.previousHash);
  return inGrace && isPrevious ? "repeated" : "reused";
}

/**
 * A refresh token is `<session>.<family>.<current>`. Both secrets are random and stored only as hashes. `family` stays for the
 * lifetime of the session and `current` changes with each refresh. So a token with the right family but another current is an
 * old one, and reuse is always detected without storing a list.
 */
export interface RefreshToken {
  sessionId: string;
  family: string;
  current: string;
}

const FORMAT = /^([0-9a-f]{24})\.([\w-]{43})\.([\w-]{43})$/;

export function formatRefreshToken({ sessionId, family, current }: RefreshToken): string {
  return `${sessionId}.${family}.${current}`;
}

/** @returns null when the format is wrong */
export function parseRefreshToken(token: string): RefreshToken | null {
  const [, sessionId, family, current] = FORMAT.exec(token) ?? [];
  if (sessionId === undefined || family === undefined || current === undefined) return null;
  return { sessionId, family, current };
}
