import { serviceError, withoutDeadline, type Handler } from "@fanfare/kernel";
import { tellOwner } from "../tell-owner.ts";
import type { UserDependencies } from "../user.dependencies.ts";

/** Requests that are worked on at once; beyond it all are told to come back, whoever they ask for. */
const MAX_REQUESTS = 200;
const RETRY_AFTER_MS = 5000;

export function requestPasswordReset({
  node,
  users,
  accountMails,
}: UserDependencies): Handler<"user.requestPasswordReset"> {
  let running = 0;
  const sendIfKnown = async (email: string): Promise<void> => {
    running += 1;
    try {
      const user = await users.findByEmail(email);
      if (user !== null) await accountMails.sendReset(user);
    } catch (error) {
      node.logger.error({ err: error }, "a link to set a new password could not be sent");
    } finally {
      running -= 1;
    }
  };
  return ({ params }) => {
    if (running >= MAX_REQUESTS) throw serviceError("OVERLOADED", { retryAfterMs: RETRY_AFTER_MS });
    // Nobody waits for it: neither the answer nor its time tells whether there is such an account.
    void sendIfKnown(params.email);
    return {};
  };
}

export function resetPassword(dependencies: UserDependencies): Handler<"user.resetPassword"> {
  const { node, users, sessions, passwords, mailedTokens, accountMails } = dependencies;
  return async ({ params: { token, newPassword, removeOtherSignIns } }) => {
    // Checked before hashing, so that an invented token costs no hash.
    const found = await mailedTokens.find(token, "resetPassword");
    if (found === null) throw serviceError("INVALID_LINK");
    const passwordHash = await passwords.hash(newPassword);
    const userId = found.userId.toHexString();
    const wasVerified = (await users.find(userId))?.emailVerifiedAt !== undefined;
    const revokeTokens = async (): Promise<void> => {
      if (removeOtherSignIns || !wasVerified)
        await node.call("bot.revokeTokensOf", { userId, deleteBots: !wasVerified });
    };
    // While the link is still good, so that a failure can be repaired by opening it again.
    await revokeTokens();
    const taken = await mailedTokens.take(token, "resetPassword");
    if (taken === null) throw serviceError("INVALID_LINK");

    const finish = async (): Promise<Record<string, never>> => {
      // Sessions end and links become invalid before the password changes and again after it: see changePassword.
      await sessions.endAll(userId);
      await mailedTokens.removeAll(userId, ["resetPassword", "verifyEmail"]);
      const changed = wasVerified
        ? await users.resetPassword(userId, taken.email, passwordHash, removeOtherSignIns)
        : await users.takeOverUnverified(userId, taken.email, passwordHash);
      // A reset that races with the verification of the address is refused as well: it would remove too little or too much.
      if (changed === null) throw serviceError("INVALID_LINK");
      await sessions.endAll(userId);
      await mailedTokens.removeAll(userId, ["resetPassword", "verifyEmail"]);
      await revokeTokens();
      tellOwner(node, changed);
      accountMails.notify(changed, "passwordChanged");
      return {};
    };
    // The link is used up, so the rest must not be cut off halfway.
    return withoutDeadline(finish);
  };
}

export function inspectPasswordReset({
  users,
  mailedTokens,
  accountMails,
}: UserDependencies): Handler<"user.inspectPasswordReset"> {
  return async ({ params: { token } }) => {
    const found = await mailedTokens.find(token, "resetPassword");
    const user = found === null ? null : await users.find(found.userId.toHexString());
    if (user === null || user.emailLower !== found?.email.toLowerCase()) throw serviceError("INVALID_LINK");
    return {
      username: user.username ?? null,
      oidcProvider: accountMails.providerOf(user),
      removesAll: user.emailVerifiedAt === undefined,
    };
  };
}
