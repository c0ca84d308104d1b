import { hashSecret, requiresSecondFactor, serviceError, type Handler } from "@fanfare/kernel";
import { newRecoveryCodes, newTotpSecret, normaliseRecoveryCode, stepOfCode, totpUri } from "../totp.ts";
import { tellOwner } from "../tell-owner.ts";
import type { UserDependencies } from "../user.dependencies.ts";

export function setupTotp({
  node,
  users,
  reauthenticate,
  totpSecrets,
}: UserDependencies): Handler<"user.setupTotp"> {
  const issuer = new URL(node.config.publicUrl).hostname;
  return async ({ params, actor }) => {
    const user = await reauthenticate(actor.userId, params);
    const secret = newTotpSecret();
    const pending = totpSecrets.seal(secret, actor.userId);
    if (!(await users.setPendingTotp(actor.userId, user.passwordHash, pending)))
      throw serviceError("TOTP_ALREADY_ON");
    return { secret, uri: totpUri(secret, issuer, user.username ?? user.nickname) };
  };
}

export function enableTotp(dependencies: UserDependencies): Handler<"user.enableTotp"> {
  const { node, users, accountMails, totpSecrets } = dependencies;
  return async ({ params, actor }) => {
    const user = await users.find(actor.userId);
    if (user?.totp !== undefined) throw serviceError("TOTP_ALREADY_ON");
    const pending = user?.totpPending;
    const opened = pending === undefined ? null : totpSecrets.open(pending, actor.userId);
    if (pending === undefined || opened === null) throw serviceError("TOTP_NOT_SET_UP");
    const lastStep = stepOfCode(opened.secret, params.code, Date.now());
    if (lastStep === null) throw serviceError("WRONG_CODE");
    const recoveryCodes = newRecoveryCodes();
    const recoveryHashes = recoveryCodes.map((code) => hashSecret(normaliseRecoveryCode(code)));
    const enabled = await users.enableTotp(actor.userId, pending, {
      secret: opened.stored,
      lastStep,
      recoveryHashes,
    });
    if (enabled === null) throw serviceError("TOTP_NOT_SET_UP");
    tellOwner(node, enabled);
    await accountMails.notify(enabled, "totpEnabled");
    return { recoveryCodes };
  };
}

export function disableTotp(dependencies: UserDependencies): Handler<"user.disableTotp"> {
  const { node, users, reauthenticate, secondFactor, accountMails } = dependencies;
  return async ({ params, actor }) => {
    const user = await reauthenticate(actor.userId, params);
    // Accounts without a password log in by OIDC only, which is exempt.
    if (user.passwordHash !== undefined && requiresSecondFactor(await node.policy.get(), user))
      throw serviceError("SECOND_FACTOR_REQUIRED");
    const secret = await secondFactor.check(user, params.code);
    const disabled = secret === undefined ? null : await users.disableTotp(actor.userId, secret);
    if (disabled === null) throw serviceError("TOTP_NOT_SET_UP");
    tellOwner(node, disabled);
    await accountMails.notify(disabled, "totpDisabled");
    return {};
  };
}

export function hasSecondFactor({
  users,
  sessionRepository,
}: UserDependencies): Handler<"user.hasSecondFactor"> {
  return async ({ params: { userId, sessionId } }) => {
    if ((await users.find(userId))?.totp !== undefined) return { has: true };
    return { has: (await sessionRepository.find(sessionId))?.byOidc === true };
  };
}

export function resetTotp(dependencies: UserDependencies): Handler<"user.resetTotp"> {
  const { node, users, sessions, accountMails } = dependencies;
  return async ({ params: { userId } }) => {
    const before = await users.find(userId);
    const user = await users.removeTotp(userId);
    if (user === null) throw serviceError("USER_NOT_FOUND");
    tellOwner(node, user);
    // Whoever asked may not be the owner: the owner is told, and nobody stays logged in with what is weaker now.
    if (before?.totp !== undefined) await accountMails.notify(user, "totpDisabled");
    await sessions.endAll(userId);
    return {};
  };
}
