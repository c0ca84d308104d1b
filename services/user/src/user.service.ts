import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { accountStubs } from "./actions/account-stubs.ts";
import { adminState } from "./actions/admin-state.ts";
import { block, listBlocked, listBlockedAmong, unblock } from "./actions/block.ts";
import { changePassword } from "./actions/change-password.ts";
import { claimGuest } from "./actions/claim-guest.ts";
import { createGuest } from "./actions/create-guest.ts";
import { findByUsername } from "./actions/find-by-username.ts";
import { listSessions, revokeSession } from "./actions/list-sessions.ts";
import { login } from "./actions/login.ts";
import { listRevokedSessions, logout, logoutAll } from "./actions/logout.ts";
import { get, getMany, me } from "./actions/profile.ts";
import { refresh } from "./actions/refresh.ts";
import { register } from "./actions/register.ts";
import { search } from "./actions/search.ts";
import { updateProfile } from "./actions/update-profile.ts";
import { createAdminRepository } from "./admin.repository.ts";
import { createAdmins } from "./admins.ts";
import { createBlockRepository } from "./block.repository.ts";
import { createPasswords } from "./passwords.ts";
import { createSessionRepository } from "./session.repository.ts";
import { createSessions } from "./sessions.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import { createUserRepository } from "./user.repository.ts";

/** Accounts, sessions and profiles: the actions `user.*` of the contract. */
export function createUserService(node: NodeContext): ReturnType<ServiceFactory> {
  const sessionRepository = createSessionRepository(node.database);
  const users = createUserRepository(node.database);
  const dependencies: UserDependencies = {
    node,
    users,
    admins: createAdmins(users, createAdminRepository(node.database)),
    blocks: createBlockRepository(node.database),
    sessionRepository,
    sessions: createSessions(node, sessionRepository),
    passwords: createPasswords(),
  };
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
      "user.changePassword": changePassword(dependencies),
      "user.listSessions": listSessions(dependencies),
      "user.revokeSession": revokeSession(dependencies),
      "user.search": search(dependencies),
      "user.block": block(dependencies),
      "user.unblock": unblock(dependencies),
      "user.listBlocked": listBlocked(dependencies),
      "user.listBlockedAmong": listBlockedAmong(dependencies),
      "user.adminState": adminState(dependencies),
      ...accountStubs,
      "user.listRevokedSessions": listRevokedSessions(dependencies),
    },
    async started() {
      await Promise.all([
        users.createIndexes(),
        dependencies.blocks.createIndexes(),
        sessionRepository.createIndexes(),
      ]);
    },
  });
}
