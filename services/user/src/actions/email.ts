import { serviceError, type Handler } from "@fanfare/kernel";
import { throwTaken } from "../taken.ts";
import { tellOwner } from "../tell-owner.ts";
import type { UserDependencies } from "../user.dependencies.ts";

export function requestEmailVerification({
  users,
  accountMails,
}: UserDependencies): Handler<"user.requestEmailVerification"> {
  return async ({ actor }) => {
    const user = await users.find(actor.userId);
    if (user === null) throw serviceError("UNAUTHENTICATED");
    if (user.email === undefined) throw serviceError("EMAIL_MISSING");
    if (user.emailVerifiedAt === undefined) await accountMails.sendVerification(user, user.email);
    return {};
  };
}

export function changeEmail({
  users,
  reauthenticate,
  mailedTokens,
  accountMails,
}: UserDependencies): Handler<"user.changeEmail"> {
  return async ({ params: { email, ...proof }, actor }) => {
    const user = await reauthenticate(actor.userId, proof);
    const other = await users.findByEmail(email);
    // An unverified claim gives way when this link is opened.
    const isVerified = other?.emailVerifiedAt !== undefined || !accountMails.canSend;
    if (other !== null && !other._id.equals(user._id) && isVerified) throw serviceError("EMAIL_TAKEN");
    await accountMails.sendVerification(user, email);
    // The password may have been changed, and all links made void, before this one was stored.
    const now = await users.find(actor.userId);
    if (now?.passwordHash !== user.passwordHash) {
      await mailedTokens.removeAll(actor.userId, ["verifyEmail"]);
      throw serviceError("WRONG_CREDENTIALS");
    }
    return {};
  };
}

export function verifyEmail({
  node,
  users,
  mailedTokens,
  accountMails,
}: UserDependencies): Handler<"user.verifyEmail"> {
  return async ({ params: { token } }) => {
    const taken = await mailedTokens.take(token, "verifyEmail");
    if (taken === null) throw serviceError("INVALID_LINK");
    const userId = taken.userId.toHexString();
    const displaced = await users.releaseUnverifiedEmail(taken.email, userId);
    if (displaced !== null) tellOwner(node, displaced);
    const before = await users.setVerifiedEmail(userId, taken.email).catch(throwTaken);
    if (before === null) throw serviceError("INVALID_LINK");
    const now = await users.find(userId);
    if (now !== null) tellOwner(node, now);
    if (before.email === undefined || before.email.toLowerCase() === taken.email.toLowerCase()) return {};
    // What was sent to the old address must not open the account any more.
    await mailedTokens.removeAll(userId, ["resetPassword"]);
    accountMails.notify(before, "emailChanged");
    return {};
  };
}
