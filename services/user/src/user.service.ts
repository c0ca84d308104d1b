import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { countUsers, listAllUsers, setAdmin, setDisabled } from "./actions/administer.ts";
import { block, listBlocked, listBlockedAmong, unblock } from "./actions/block.ts";
import { createBot, deleteBot, hasBotSession, isActive, openBotSession, renameBot } from "./actions/bots.ts";
import { changePassword } from "./actions/change-password.ts";
import { claimGuest } from "./actions/claim-guest.ts";
import { createAdmin } from "./actions/create-admin.ts";
import { createGuest } from "./actions/create-guest.ts";
import { deleteMe } from "./actions/delete-me.ts";
import { importNames, removeImported } from "./actions/import-names.ts";
import { exportNames } from "./actions/export-names.ts";
import { exportMyData, exportUser } from "./actions/export-my-data.ts";
import {
  changeEmail,
  inspectEmailVerification,
  requestEmailVerification,
  verifyEmail,
} from "./actions/email.ts";
import { findByUsername } from "./actions/find-by-username.ts";
import { listSessions, revokeSession } from "./actions/list-sessions.ts";
import { listNames, listSpokenTo } from "./actions/list-spoken-to.ts";
import { login } from "./actions/login.ts";
import { listRevokedSessions, logout, logoutAll } from "./actions/logout.ts";
import { exchangeOidcCode, finishOidc, linkOidc, startOidc, unlinkOidc } from "./actions/oidc.ts";
import { createWithoutPassword, sendPasswordLink } from "./actions/password-link.ts";
import { inspectPasswordReset, requestPasswordReset, resetPassword } from "./actions/password-reset.ts";
import { get, getMany, me } from "./actions/profile.ts";
import { refresh } from "./actions/refresh.ts";
import { register } from "./actions/register.ts";
import { search } from "./actions/search.ts";
import { removeAvatar, setAvatar } from "./actions/set-avatar.ts";
import { adminState, becomeAdmin, createSetupToken, setUpAdmin } from "./actions/setup.ts";
import { disableTotp, enableTotp, hasSecondFactor, resetTotp, setupTotp } from "./actions/totp.ts";
import { updateProfile } from "./actions/update-profile.ts";
import { createDependencies } from "./user.dependencies.ts";
import { defineEmailRelease } from "./unverified-emails.ts";

/** Accounts, sessions and profiles: the actions `user.*` of the contract. */
export function createUserService(node: NodeContext): ReturnType<ServiceFactory> {
  const dependencies = createDependencies(node);
  const { users, accountMails, mailer } = dependencies;
  if (accountMails.canSend) defineEmailRelease(node, users);
  return defineService(node, {
    name: "user",
    actions: {
      "user.register": register(dependencies),
      "user.login": login(dependencies),
      "user.createGuest": createGuest(dependencies),
      "user.claimGuest": claimGuest(dependencies),
      "user.refresh": refresh(dependencies),
      "user.logout": logout(dependencies),
      "user.logoutAll": logoutAll(dependencies),
      "user.me": me(dependencies),
      "user.get": get(dependencies),
      "user.getMany": getMany(dependencies),
      "user.findByUsername": findByUsername(dependencies),
      "user.updateProfile": updateProfile(dependencies),
      "user.setAvatar": setAvatar(dependencies),
      "user.removeAvatar": removeAvatar(dependencies),
      "user.changePassword": changePassword(dependencies),
      "user.listSessions": listSessions(dependencies),
      "user.revokeSession": revokeSession(dependencies),
      "user.search": search(dependencies),
      "user.block": block(dependencies),
      "user.unblock": unblock(dependencies),
      "user.listBlocked": listBlocked(dependencies),
      "user.listBlockedAmong": listBlockedAmong(dependencies),
      "user.deleteMe": deleteMe(dependencies),
      "user.exportMyData": exportMyData(),
      "user.exportUser": exportUser(dependencies),
      "user.importNames": importNames(dependencies),
      "user.removeImported": removeImported(dependencies),
      "user.exportNames": exportNames(dependencies),
      "user.count": countUsers(dependencies),
      "user.listAll": listAllUsers(dependencies),
      "user.setDisabled": setDisabled(dependencies),
      "user.setAdmin": setAdmin(dependencies),
      "user.createAdmin": createAdmin(dependencies),
      "user.createWithoutPassword": createWithoutPassword(dependencies),
      "user.sendPasswordLink": sendPasswordLink(dependencies),
      "user.resetTotp": resetTotp(dependencies),
      "user.createBot": createBot(dependencies),
      "user.renameBot": renameBot(dependencies),
      "user.openBotSession": openBotSession(dependencies),
      "user.isActive": isActive(dependencies),
      "user.hasBotSession": hasBotSession(dependencies),
      "user.deleteBot": deleteBot(dependencies),
      "user.adminState": adminState(dependencies),
      "user.createSetupToken": createSetupToken(dependencies),
      "user.setUpAdmin": setUpAdmin(dependencies),
      "user.becomeAdmin": becomeAdmin(dependencies),
      "user.requestPasswordReset": requestPasswordReset(dependencies),
      "user.resetPassword": resetPassword(dependencies),
      "user.inspectPasswordReset": inspectPasswordReset(dependencies),
      "user.requestEmailVerification": requestEmailVerification(dependencies),
      "user.inspectEmailVerification": inspectEmailVerification(dependencies),
      "user.verifyEmail": verifyEmail(dependencies),
      "user.changeEmail": changeEmail(dependencies),
      "user.setupTotp": setupTotp(dependencies),
      "user.enableTotp": enableTotp(dependencies),
      "user.disableTotp": disableTotp(dependencies),
      "user.hasSecondFactor": hasSecondFactor(dependencies),
      "user.startOidc": startOidc(dependencies),
      "user.finishOidc": finishOidc(dependencies),
      "user.exchangeOidcCode": exchangeOidcCode(dependencies),
      "user.linkOidc": linkOidc(dependencies),
      "user.unlinkOidc": unlinkOidc(dependencies),
      "user.listNames": listNames(dependencies),
      "user.listSpokenTo": listSpokenTo(dependencies),
      "user.listRevokedSessions": listRevokedSessions(dependencies),
    },
    async stopped() {
      await mailer.stop();
    },
  });
}
