import { randomUUID } from "node:crypto";
import { LIMITS, type RateLimit } from "@fanfare/contract";
import {
  type CallClient,
  type Handlers,
  hashSecret,
  type NodeContext,
  orThrow,
  RateLimiter,
} from "@fanfare/kernel";
import type { Mailer } from "@fanfare/mail";
import { oidcLinks } from "./external-logins.ts";
import type { MailedPurpose, OneTimeTokenRepository } from "./email.repository.ts";
import { hasNoSignIn } from "./session.policy.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import type { UserDocument } from "./user.model.ts";
import { localeOf } from "./user.presenter.ts";

const LIFETIME_MS: Record<MailedPurpose, number> = {
  resetPassword: LIMITS.passwordResetLifetimeMs,
  verifyEmail: LIMITS.emailVerificationLifetimeMs,
};
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/**
 * Limits automatic emails to new accounts per client address, so that mailboxes of others can't be flooded by registering with
 * their email addresses. Counted per process. Further emails are sent by `user.requestEmailVerification`.
 */
const WELCOMES_PER_ADDRESS: RateLimit = { points: 30, durationMs: 60 * MINUTE_MS };
/** Per mailbox and client address, so that registrations by others don't use up the owner's limit. */
const WELCOMES_PER_MAILBOX_AND_ADDRESS: RateLimit = { points: 3, durationMs: 60 * MINUTE_MS };
/** Per mailbox, across all accounts and client addresses. */
const WELCOMES_PER_MAILBOX: RateLimit = { points: 30, durationMs: 60 * MINUTE_MS };

const resetPath = (token: string): string => `/reset-password#token=${token}`;

export type AccountMails = ReturnType<typeof createAccountMails>;

/** Sends account emails in the user's language, with the tokens in their links. */
export function createAccountMails(
  mailer: Mailer,
  tokens: OneTimeTokenRepository,
  { config, logger }: Pick<NodeContext, "config" | "logger">,
) {
  const limiter = (limit: RateLimit) => new RateLimiter(limit, { factor: config.rateLimitFactor });
  const welcomes = limiter(WELCOMES_PER_ADDRESS);
  const welcomesByAddress = limiter(WELCOMES_PER_MAILBOX_AND_ADDRESS);
  const welcomesToMailbox = limiter(WELCOMES_PER_MAILBOX);
  const providerOf = (user: UserDocument): string | null => {
    const ids = oidcLinks(user).map(({ provider }) => provider);
    const names = config.providers
      .filter(({ id }) => ids.includes(id))
      .map((provider) => (provider.protocol === "oidc" ? new URL(provider.issuer).host : provider.name));
    return names.length === 0 ? null : names.join(", ");
  };

  /** @param email the recipient; undefined when an admin passes the link on */
  const makeToken = (
    { _id: userId }: UserDocument,
    purpose: MailedPurpose,
    email: string | undefined,
    lifetimeMs = LIFETIME_MS[purpose],
  ): Promise<string> => tokens.make(purpose, lifetimeMs, { userId, email });

  /** Sends a link that verifies the address and replaces the current one. Links sent earlier become invalid. */
  const sendVerification = async (user: UserDocument, email: string): Promise<void> => {
    await tokens.removeAll(user._id, ["verifyEmail"]);
    const token = await makeToken(user, "verifyEmail", email);
    const isFirst = user.email === undefined || user.email === email;
    const name = isFirst ? "verifyEmail" : "confirmNewEmail";
    const content = { username: user.username ?? null };
    await mailer.send({ email, locale: localeOf(user) }, name, content, `/verify-email#token=${token}`);
  };

  /**
   * Does nothing when the account has no email address.
   * @param key deduplicates: a second email with the same key is not sent
   */
  const sendReset = async (user: UserDocument, key: string): Promise<void> => {
    if (user.email === undefined) return;
    const token = await makeToken(user, "resetPassword", user.email);
    const minutes = LIMITS.passwordResetLifetimeMs / MINUTE_MS;
    const to = { email: user.email, locale: localeOf(user) };
    const content = { minutes, provider: providerOf(user) };
    await mailer.send(to, "resetPassword", content, resetPath(token), key);
  };

  return {
    /** Whether emails are sent, so that addresses can be verified. */
    canSend: config.smtp !== undefined || config.environment === "development",

    /** The providers of single sign-on linked to an account: hosts with OIDC, names with SAML. Or null. */
    providerOf,

    sendReset,
    sendVerification,

    /**
     * For admins. The link is an invitation when the account has no way to sign in yet, otherwise a password reset.
     * @returns the link when it couldn't be emailed, otherwise null
     */
    async sendPasswordLink(user: UserDocument): Promise<string | null> {
      const { email, username = null } = user;
      const isNew = hasNoSignIn(user);
      const lifetimeMs = isNew ? LIMITS.invitationLifetimeMs : LIMITS.passwordResetLifetimeMs;
      if (email === undefined || config.smtp === undefined)
        return `${config.publicUrl}${resetPath(await makeToken(user, "resetPassword", undefined, lifetimeMs))}`;
      if (isNew) {
        const token = await makeToken(user, "resetPassword", email, lifetimeMs);
        const content = { username, days: LIMITS.invitationLifetimeMs / DAY_MS };
        await mailer.send({ email, locale: localeOf(user) }, "invitation", content, resetPath(token));
      } else await sendReset(user, randomUUID());
      return null;
    },

    /**
     * Sends a verification link to an account that never had a verified address. Does nothing without an address.
     * @returns 0, or the milliseconds until a retry is allowed when nothing was sent
     */
    async welcome(user: UserDocument, email: string | undefined, client: CallClient | null): Promise<number> {
      if (email === undefined) return 0;
      const now = Date.now();
      const mailbox = email.toLowerCase();
      const ofClient =
        client === null
          ? 0
          : welcomes.take(client.address, now) || welcomesByAddress.take(`${mailbox} ${client.address}`, now);
      const waitMs = ofClient || welcomesToMailbox.take(mailbox, now);
      if (waitMs === 0) await sendVerification(user, email);
      return waitMs;
    },

    /**
     * Notifies the owner of what has happened, so it never fails.
     * @param email the recipient; without one, nothing is sent
     */
    async notify(
      user: UserDocument,
      name:
        | "emailChanged"
        | "passwordChanged"
        | "passwordInDirectory"
        | "totpEnabled"
        | "totpDisabled"
        | "passkeyAdded"
        | "passkeyRemoved"
        | "ldapLinked"
        | "oidcLinked"
        | "oidcUnlinked",
      email = user.email,
    ): Promise<void> {
      if (email === undefined) return;
      await mailer
        .send({ email, locale: localeOf(user) }, name, {})
        .catch((error: unknown) => logger.error({ err: error, mail: name }, "email not queued"));
    },
  };
}

const PURPOSE = "invited address";

/** Invites to groups, which go to addresses with and without an account. */
export const inviteMailActions = ({ node, users, mailer, refusedAddresses }: UserDependencies): Handlers => ({
  "user.mailInvites": async ({ params: { userId, groupName, invites } }) => {
    const inviter = orThrow(await users.find(userId), "USER_NOT_FOUND");
    const values = {
      username: orThrow(inviter.username ?? null, "GUEST_NOT_ALLOWED"),
      group: groupName,
      days: LIMITS.emailInviteLifetimeMs / DAY_MS,
    };
    const refused = await refusedAddresses.filter(invites.map(({ email }) => email));
    for (const { code, email } of invites) {
      if (refused.has(email)) continue;
      const to = { email, locale: localeOf(inviter), isStranger: true };
      const token = node.signerFor(PURPOSE).sign(signedText(code, email));
      // The keys of jobs are logged.
      const path = `/invite/${code}#token=${token}&email=${encodeURIComponent(email)}`;
      await mailer.send(to, "groupInvite", values, path, hashSecret(code));
    }
    return { refused: invites.flatMap(({ code, email }) => (refused.has(email) ? [code] : [])) };
  },
});

const signedText = (code: string, email: string): string => `${code} ${email.toLowerCase()}`;

/**
 * Whether the user has opened the link that was emailed to the address. The code of the invite doesn't prove it: members of the
 * group can see it.
 */
export function isInvitedAddress(
  node: Pick<NodeContext, "signerFor">,
  {
    inviteCode: code,
    inviteToken,
    email,
  }: Partial<Record<"inviteCode" | "inviteToken" | "email", string | undefined>>,
): boolean {
  if (code === undefined || inviteToken === undefined || email === undefined) return false;
  return node.signerFor(PURPOSE).verify(signedText(code, email), inviteToken);
}

/** Emails of other services to users, for which only this service knows the addresses. */
export const missedMailActions = ({ users, sessionRepository, mailer }: UserDependencies): Handlers => {
  const findReachable = async (userId: string): Promise<(UserDocument & { email: string }) | null> => {
    const user = await users.find(userId);
    if (user?.email === undefined || user.emailVerifiedAt === undefined) return null;
    if (user.deletedAt !== undefined || user.disabledAt !== undefined) return null;
    return { ...user, email: user.email };
  };
  return {
    "user.findMailbox": async ({ params: { userId } }) => {
      const user = await findReachable(userId);
      if (user === null) return { mailbox: null };
      const active = await sessionRepository.lastRefreshes([userId], new Date());
      const activeAt = active.get(userId)?.toISOString() ?? null;
      return { mailbox: { locale: localeOf(user), activeAt } };
    },

    "user.mailMissed": async ({ params: { userId, items, more, path, unsubscribePath, key } }) => {
      const user = await findReachable(userId);
      if (user === null) return {};
      const to = {
        email: user.email,
        locale: localeOf(user),
        unsubscribe: { userId, path: unsubscribePath },
      };
      await mailer.send(to, "missed", { items, more }, path, key);
      return {};
    },
  };
};
