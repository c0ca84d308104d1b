import { type Handlers, orThrow, type NodeContext, serviceError } from "@fanfare/kernel";
import { LIMITS } from "@fanfare/contract";
import { assertAllowedDomain } from "./registration.policy.ts";
import { rethrowTaken, takeEmail } from "./registration.ts";
import { publishAccount } from "./user.presenter.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import type { UserRepository } from "./user.repository.ts";

const SWEEP_MS = 10 * 60 * 1000;
const EMAILS_PER_SWEEP = 1000;

export const emailActions = ({
  users,
  accountMails,
  node,
  reauthenticate,
  oneTimeTokens,
}: UserDependencies): Handlers => ({
  "user.requestEmailVerification": async ({ actor }) => {
    const user = orThrow(await users.find(actor.userId), "UNAUTHENTICATED");
    if (user.email === undefined) throw serviceError("EMAIL_MISSING");
    if (user.emailVerifiedAt === undefined) await accountMails.sendVerification(user, user.email);
    return {};
  },

  "user.changeEmail": async ({ params: { email, ...proof }, actor }) => {
    // Before the proof, because a login at the provider can be used only once.
    assertAllowedDomain(await node.policy.get(), email);
    const user = await reauthenticate(actor.userId, proof);
    const other = await users.findByEmail(email);
    // An unverified claim by another account is released when this link is opened.
    const isVerified = other?.emailVerifiedAt !== undefined || !accountMails.canSend;
    if (other !== null && other._id !== user._id && isVerified) throw serviceError("EMAIL_TAKEN");
    await accountMails.sendVerification(user, email);
    // The password may have been changed, and all links invalidated, before this one was stored.
    const now = await users.find(actor.userId);
    if (now?.passwordHash !== user.passwordHash) {
      await oneTimeTokens.removeAll(actor.userId, ["verifyEmail"]);
      throw serviceError("WRONG_CREDENTIALS");
    }
    return {};
  },

  /** Shown before the link is used, because it can belong to another person's account. */
  "user.inspectEmailVerification": async ({ params: { token } }) => {
    const found = await oneTimeTokens.find(token, "verifyEmail");
    const user = found === null ? null : await users.find(found.userId);
    if (found?.email === undefined || user === null) throw serviceError("INVALID_LINK");
    return { username: user.username ?? null, email: found.email };
  },

  "user.verifyEmail": async ({ params: { token } }) => {
    const taken = await oneTimeTokens.take(token, "verifyEmail");
    if (taken?.email === undefined) throw serviceError("INVALID_LINK");
    const userId = taken.userId;
    const { email } = taken;
    const before = await takeEmail({ node, users }, { email, userId }, async () =>
      orThrow(await users.setVerifiedEmail(userId, email).catch(rethrowTaken), "INVALID_LINK"),
    );
    const now = await users.find(userId);
    if (now !== null) publishAccount(node, now);
    if (before.email !== undefined && before.email.toLowerCase() !== taken.email.toLowerCase()) {
      // Links sent to the old address must not give access to the account any more.
      await oneTimeTokens.removeAll(userId, ["resetPassword"]);
      await accountMails.notify(before, "emailChanged");
    }
    // The address has just received an email.
    await node.services.notification.setEmailsRefused({ userId, refused: false });
    return {};
  },
});

/** Removes a batch of addresses claimed `LIMITS.unverifiedEmailLifetimeMs` before `now` and never verified. */
export async function releaseUnverifiedEmails(
  node: Pick<NodeContext, "publish">,
  users: UserRepository,
  now: Date,
): Promise<void> {
  const before = new Date(now.getTime() - LIMITS.unverifiedEmailLifetimeMs);
  for (let released = 0; released < EMAILS_PER_SWEEP; released += 1) {
    const user = await users.releaseOldestUnverifiedEmail(before);
    if (user === null) return;
    publishAccount(node, user);
  }
}

/** Only for instances that send email: elsewhere addresses can't be verified, so they must not expire. */
export function defineEmailRelease(node: NodeContext, users: UserRepository): void {
  node.jobs.define("user.releaseUnverifiedEmails", {
    everyMs: SWEEP_MS,
    run: () => releaseUnverifiedEmails(node, users, new Date()),
  });
}
