import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import {
  adminState,
  becomeAdmin,
  countUsers,
  createSetupToken,
  listAllUsers,
  setAdmin,
  setDisabled,
  setUpAdmin,
} from "./administer.ts";
import { block, listBlocked, listBlockedAmong, listNames, listSpokenTo, unblock } from "./blocks.ts";
import { createBot, deleteBot, hasBotSession, isActive, openBotSession, renameBot } from "./bots.ts";
import {
  changePassword,
  createWithoutPassword,
  inspectPasswordReset,
  requestPasswordReset,
  resetPassword,
  sendPasswordLink,
} from "./password.ts";
import { claimGuest, createAdmin, createGuest, register } from "./registration.ts";
import { deleteMe, exportMyData, exportUser } from "./my-data.ts";
import { exportNames, importNames, removeImported } from "./names.ts";
import { changeEmail, inspectEmailVerification, requestEmailVerification, verifyEmail } from "./email.ts";
import {
  findByUsername,
  get,
  getMany,
  me,
  removeAvatar,
  search,
  setAvatar,
  updateProfile,
} from "./profiles.ts";
import {
  listRevokedSessions,
  listSessions,
  login,
  logout,
  logoutAll,
  refresh,
  revokeSession,
} from "./login.ts";
import {
  acceptFriend,
  declineFriend,
  exportFriends,
  forgetFriends,
  listFriendRequests,
  listFriends,
  listFriendsAmong,
  removeFriend,
  requestFriend,
} from "./friends/friends.ts";
import { getReach, listReachable, setReach } from "./friends/reach.ts";
import { exchangeOidcCode, finishOidc, linkOidc, startOidc, unlinkOidc } from "./oidc/oidc.ts";
import { disableTotp, enableTotp, hasSecondFactor, resetTotp, setupTotp } from "./second-factor.ts";
import { createDependencies } from "./user.dependencies.ts";
import { defineEmailRelease } from "./unverified-emails.ts";

/** Accounts, sessions, profiles and friends: the actions `user.*` and `friend.*` of the contract. */
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
      "friend.request": requestFriend(dependencies),
      "friend.accept": acceptFriend(dependencies),
      "friend.decline": declineFriend(dependencies),
      "friend.remove": removeFriend(dependencies),
      "friend.list": listFriends(dependencies),
      "friend.listRequests": listFriendRequests(dependencies),
      "friend.getReach": getReach(dependencies),
      "friend.setReach": setReach(dependencies),
      "friend.exportUser": exportFriends(dependencies),
      "friend.forgetUser": forgetFriends(dependencies),
      "friend.listReachable": listReachable(dependencies),
      "friend.listAmong": listFriendsAmong(dependencies),
    },
    async stopped() {
      await mailer.stop();
    },
  });
}
