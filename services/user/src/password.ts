import { randomUUID } from "node:crypto";
import { type Handlers, type NodeContext, orThrow, serviceError, withoutDeadline } from "@fanfare/kernel";
import type { Result } from "@fanfare/contract";
import { PermanentError } from "@fanfare/jobs";
import { isPasswordInDirectory, isSameStanding, hasNoSignIn } from "./session.policy.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import { assertPasswordsAccepted, assertBelowUserLimit } from "./registration.policy.ts";
import { publishAccount, presentAdminUser } from "./user.presenter.ts";
import { assertNotTaken, rethrowTaken, takeEmail } from "./registration.ts";
import type { UserDocument } from "./user.model.ts";
import { newAccount } from "./user.repository.ts";

/** Maximum of requests handled concurrently per process. */
const REQUESTS_AT_ONCE = 4;
/** Maximum of waiting requests; further ones are rejected, regardless of the address. */
const MAX_REQUESTS = 200;

export function passwordActions({
  node,
  users,
  sessionRepository,
  sessions,
  passwords,
  confirmPassword,
  oneTimeTokens,
  accountMails,
  allUsers,
}: UserDependencies): Handlers {
  return {
    "user.changePassword": async ({ params, actor, client }) => {
      const user = await confirmPassword(actor.userId, params.oldPassword);
      const oldHash = orThrow(user.passwordHash, "PASSWORD_IN_DIRECTORY");
      const session = await sessionRepository.find(actor.sessionId);
      if (session === null || session.revokedAt !== undefined) throw serviceError("SESSION_REVOKED");
      const newHash = await passwords.hash(params.newPassword, user);
      const revokeTokens = async (): Promise<void> => {
        if (params.revokeTokens)
          await node.services.bot.revokeTokensOf({ userId: actor.userId, deleteBots: false });
      };
      // Before the change, so that the call can be repeated if this fails.
      await revokeTokens();
      const finish = async () => {
        // Other sessions end before the change, and sessions opened in the meantime end after it. If the process dies in between,
        // no other session is left, and the old password can't be used to open one.
        await sessions.endOthers(actor.userId, actor.sessionId);
        const changed = await users.replacePasswordHash(actor.userId, oldHash, newHash, params.revokeTokens);
        if (changed === null) throw serviceError("WRONG_CREDENTIALS");
        // Links requested with the old password, for example to a new address, must not work any more.
        await oneTimeTokens.removeAll(actor.userId, ["resetPassword", "verifyEmail"]);
        // A new session, so that leaked access tokens of this one stop working too.
        const tokens = await sessions.open(changed, client, session);
        await sessions.endOthers(actor.userId, tokens.sessionId);
        // Removes tokens created by another session in the meantime.
        await revokeTokens();
        // The account may have been disabled while the session was being opened.
        if (!isSameStanding(await users.find(actor.userId), changed)) {
          await sessions.end(actor.userId, tokens.sessionId);
          throw serviceError("SESSION_REVOKED");
        }
        await accountMails.notify(changed, "passwordChanged");
        return tokens;
      };
      // Once other sessions have ended, the rest must complete.
      return withoutDeadline(finish);
    },

    "user.resetPassword": async ({ params: { token, newPassword, removeOtherSignIns } }) => {
      // Checked before hashing, so that an invalid token doesn't cost a hash.
      const found = orThrow(await oneTimeTokens.find(token, "resetPassword"), "INVALID_LINK");
      const userId = found.userId;
      const user = await users.find(userId);
      if (user !== null) assertPasswordIsHere(node, user);
      const { email } = found;
      const passwordHash = await passwords.hash(newPassword, { ...user, email: email ?? user?.email });
      /** Whether all existing credentials are removed: the link is the first proof of who owns the address. */
      const takesOver = email !== undefined && user?.emailVerifiedAt === undefined;
      const revokeTokens = async (): Promise<void> => {
        if (removeOtherSignIns || takesOver)
          await node.services.bot.revokeTokensOf({ userId, deleteBots: takesOver });
      };
      // While the link is still valid, so that the call can be repeated if this fails.
      await revokeTokens();
      if ((await oneTimeTokens.take(token, "resetPassword")) === null) throw serviceError("INVALID_LINK");

      const finish = async (): Promise<Result<"user.resetPassword">> => {
        // Sessions and links are revoked before the password changes and again after it: see changePassword.
        await sessions.endAll(userId);
        await oneTimeTokens.removeAll(userId, ["resetPassword", "verifyEmail"]);
        const changed = takesOver
          ? await users.takeOverUnverified(userId, email, passwordHash)
          : await users.resetPassword(userId, email, passwordHash, removeOtherSignIns);
        // Also rejects a reset that races with the verification of the address, because it would remove too little or too much.
        if (changed === null) throw serviceError("INVALID_LINK");
        await sessions.endAll(userId);
        await oneTimeTokens.removeAll(userId, ["resetPassword", "verifyEmail"]);
        await revokeTokens();
        publishAccount(node, changed);
        await accountMails.notify(changed, "passwordChanged");
        const isVerified = changed.emailVerifiedAt !== undefined;
        return { username: changed.username ?? null, email: (isVerified ? changed.email : null) ?? null };
      };
      // The link is used up, so the rest must complete.
      return withoutDeadline(finish);
    },

    "user.inspectPasswordReset": async ({ params: { token } }) => {
      const found = await oneTimeTokens.find(token, "resetPassword");
      const user = found === null ? null : await users.find(found.userId);
      if (found === null || user === null || user.deletedAt !== undefined) throw serviceError("INVALID_LINK");
      const { email } = found;
      if (email !== undefined && user.emailLower !== email.toLowerCase()) throw serviceError("INVALID_LINK");
      return {
        username: user.username ?? null,
        oidcProvider: accountMails.providerOf(user),
        isNew: hasNoSignIn(user),
        removesAll: email !== undefined && user.emailVerifiedAt === undefined,
      };
    },

    /** For admins, so the registration policy does not apply. */
    "user.createWithoutPassword": async ({ params: { username, email, locale } }) => {
      const policy = await node.policy.get();
      assertPasswordsAccepted(policy);
      await assertBelowUserLimit(policy, allUsers);
      const { contestedEmail } = await assertNotTaken(users, { username, email }, accountMails.canSend);
      const user = newAccount({ username, email, locale });
      // The admin vouches for the new owner of the address; the other account has never verified it.
      await takeEmail({ node, users }, { email: contestedEmail }, () =>
        users.insert(user).catch(rethrowTaken),
      );
      return { user: presentAdminUser(user), link: await accountMails.sendPasswordLink(user) };
    },

    "user.sendPasswordLink": async ({ params: { userId } }) => {
      assertPasswordsAccepted(await node.policy.get());
      const user = await users.find(userId);
      if (user === null || user.deletedAt !== undefined) throw serviceError("USER_NOT_FOUND");
      if (user.kind !== "member") throw serviceError("GUEST_NOT_ALLOWED");
      assertPasswordIsHere(node, user);
      return { link: await accountMails.sendPasswordLink(user) };
    },
  };
}

/** Without a directory, users whose password was there can get one here. */
const isManagedElsewhere = ({ config }: Pick<NodeContext, "config">, user: UserDocument): boolean =>
  config.ldap !== undefined && isPasswordInDirectory(user);

/** @throws {ServiceError} PASSWORD_IN_DIRECTORY: with a password here, a user who is removed from the directory could still log in */
function assertPasswordIsHere(node: Pick<NodeContext, "config">, user: UserDocument): void {
  if (isManagedElsewhere(node, user)) throw serviceError("PASSWORD_IN_DIRECTORY");
}

export function passwordResetActions({ node, users, accountMails }: UserDependencies): Handlers {
  const sealer = node.sealerFor("password resets");
  const requests = node.jobs.define<{ sealed: string }>("user.requestPasswordReset", {
    concurrency: REQUESTS_AT_ONCE,
    maxWaiting: MAX_REQUESTS,
    async run({ id, key, payload }) {
      const email = sealer.open(payload.sealed, key)?.text;
      if (email === undefined) throw new PermanentError("TOKEN_SECRET changed after the request.");
      const user = await users.findByEmail(email);
      if (user === null) return;
      if (isManagedElsewhere(node, user)) await accountMails.notify(user, "passwordInDirectory");
      else await accountMails.sendReset(user, id);
    },
  });
  return {
    /** Always enqueues a job, so that neither the response nor its timing reveals whether an account has the address. */
    "user.requestPasswordReset": async ({ params: { email } }) => {
      assertPasswordsAccepted(await node.policy.get());
      const key = randomUUID();
      await requests.enqueue(key, { sealed: sealer.seal(email, key) });
      return {};
    },
  };
}
