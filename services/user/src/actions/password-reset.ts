import { randomUUID } from "node:crypto";
import type { Result } from "@fanfare/contract";
import { PermanentFailure } from "@fanfare/jobs";
import { serviceError, withoutDeadline, type Handler } from "@fanfare/kernel";
import { assertPasswordsAccepted } from "../entry.policy.ts";
import { tellOwner } from "../tell-owner.ts";
import { isWithoutSignIn } from "../session.policy.ts";
import type { UserDependencies } from "../user.dependencies.ts";

/** Requests that one process works on at the same time. */
const REQUESTS_AT_ONCE = 4;
/** Requests that can wait; beyond that all are refused, whatever the address. */
const MAX_REQUESTS = 200;

/** Every request becomes a job, so that neither the answer nor its time shows whether an account has the address. */
export function requestPasswordReset({
  node,
  users,
  accountMails,
}: UserDependencies): Handler<"user.requestPasswordReset"> {
  const sealer = node.sealerFor("password resets");
  const requests = node.jobs.define<{ sealed: string }>("user.requestPasswordReset", {
    concurrency: REQUESTS_AT_ONCE,
    maxWaiting: MAX_REQUESTS,
    async run({ id, key, payload }) {
      const email = sealer.open(payload.sealed, key)?.text;
      if (email === undefined) throw new PermanentFailure("TOKEN_SECRET changed after the request.");
      const user = await users.findByEmail(email);
      if (user !== null) await accountMails.sendReset(user, id);
    },
  });
  return async ({ params: { email } }) => {
    assertPasswordsAccepted(await node.policy.get());
    const key = randomUUID();
    await requests.enqueue(key, { sealed: sealer.seal(email, key) });
    return {};
  };
}

export function resetPassword(dependencies: UserDependencies): Handler<"user.resetPassword"> {
  const { node, users, sessions, passwords, mailedTokens, accountMails } = dependencies;
  return async ({ params: { token, newPassword, removeOtherSignIns } }) => {
    // Checked before hashing, so that an invented token costs no hash.
    const found = await mailedTokens.find(token, "resetPassword");
    if (found === null) throw serviceError("INVALID_LINK");
    const userId = found.userId;
    const user = await users.find(userId);
    const { email } = found;
    const passwordHash = await passwords.hash(newPassword, { ...user, email: email ?? user?.email });
    /** Whether everything that was set up before goes: the link is the first proof of whose address it is. */
    const takesOver = email !== undefined && user?.emailVerifiedAt === undefined;
    const revokeTokens = async (): Promise<void> => {
      if (removeOtherSignIns || takesOver)
        await node.call("bot.revokeTokensOf", { userId, deleteBots: takesOver });
    };
    // While the link is still good, so that a failure can be repaired by opening it again.
    await revokeTokens();
    if ((await mailedTokens.take(token, "resetPassword")) === null) throw serviceError("INVALID_LINK");

    const finish = async (): Promise<Result<"user.resetPassword">> => {
      // Sessions end and links become invalid before the password changes and again after it: see changePassword.
      await sessions.endAll(userId);
      await mailedTokens.removeAll(userId, ["resetPassword", "verifyEmail"]);
      const changed = takesOver
        ? await users.takeOverUnverified(userId, email, passwordHash)
        : await users.resetPassword(userId, email, passwordHash, removeOtherSignIns);
      // A reset that races with the verification of the address is refused as well: it would remove too little or too much.
      if (changed === null) throw serviceError("INVALID_LINK");
      await sessions.endAll(userId);
      await mailedTokens.removeAll(userId, ["resetPassword", "verifyEmail"]);
      await revokeTokens();
      tellOwner(node, changed);
      await accountMails.notify(changed, "passwordChanged");
      const isVerified = changed.emailVerifiedAt !== undefined;
      return { username: changed.username ?? null, email: (isVerified ? changed.email : null) ?? null };
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
    const user = found === null ? null : await users.find(found.userId);
    if (found === null || user === null || user.deletedAt !== undefined) throw serviceError("INVALID_LINK");
    const { email } = found;
    if (email !== undefined && user.emailLower !== email.toLowerCase()) throw serviceError("INVALID_LINK");
    return {
      username: user.username ?? null,
      oidcProvider: accountMails.providerOf(user),
      isNew: isWithoutSignIn(user),
      removesAll: email !== undefined && user.emailVerifiedAt === undefined,
    };
  };
}
