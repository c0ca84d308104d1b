import { LIMITS } from "@fanfare/contract";
import { type Handlers, hashSecret, type NodeContext, orThrow } from "@fanfare/kernel";
import type { UserDependencies } from "./user.dependencies.ts";
import type { UserDocument } from "./user.model.ts";
import { localeOf } from "./user.presenter.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
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
