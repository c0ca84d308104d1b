import { MemoryCounters, type NodeContext } from "@fanfare/kernel";
import { createMailer } from "@fanfare/mail";
import { createAccountMails } from "./mails.ts";
import { createAdminRepository } from "./admin.repository.ts";
import { createAdmins } from "./admins.ts";
import { createAllUsersRepository, createUserRepository } from "./user.repository.ts";
import { createBlockRepository } from "./block.repository.ts";
import { createConfirmPassword, createReauthenticate } from "./reauthenticate.ts";
import { createErasures, createInvitedAccounts, createUnusedGuests } from "./erasures.ts";
import { createExternalAccounts } from "./external-accounts.ts";
import { createFriendshipRepository, createReachRepository } from "./friends/friendship.repository.ts";
import { createLdapDirectory } from "./ldap-directory.ts";
import { createLogIn } from "./login.ts";
import { createOneTimeTokenRepository, createRefusedAddressRepository } from "./email.repository.ts";
import { createOidcCodeRepository, createUsedAssertionRepository } from "./sign-on/sign-on.repository.ts";
import { createProviders } from "./sign-on/sign-on.ts";
import { createPasswords } from "./passwords.ts";
import { createProvisionedAdmins } from "./provisioned-groups.ts";
import { createProvisionedGroupRepository } from "./provisioned-group.repository.ts";
import { createSecondFactor, createTotpSecrets } from "./second-factor.ts";
import { createSessionRepository } from "./session.repository.ts";
import { createSessions } from "./sessions.ts";

export type UserDependencies = ReturnType<typeof createDependencies>;

/** What the actions of this service need. */
export function createDependencies(node: NodeContext) {
  const sessionRepository = createSessionRepository(node.database);
  const users = createUserRepository(node.database);
  const allUsers = createAllUsersRepository(node.database);
  const oneTimeTokens = createOneTimeTokenRepository(node.database);
  const admins = createAdmins({
    users,
    repository: createAdminRepository(node.database),
    oneTimeTokens,
    firstIsAdmin: node.config.environment !== "production",
  });
  const sessions = createSessions(node, sessionRepository);
  const refusedAddresses = createRefusedAddressRepository(node.database);
  const mailer = createMailer({
    ...node,
    onRefused: async (userId, email) => {
      if (userId === null) return refusedAddresses.add(email);
      // The user may have another address by now.
      if ((await users.find(userId))?.email === email)
        await node.services.notification.setEmailsRefused({ userId, refused: true });
    },
  });
  const accountMails = createAccountMails(mailer, oneTimeTokens, node);
  const blocks = createBlockRepository(node.database);
  const passwords = createPasswords(node.config.passwordHashKiB);
  const provisionedGroups = createProvisionedGroupRepository(node.database);
  const provisionedAdmins = createProvisionedAdmins(node.config, provisionedGroups);
  const oidcCodes = createOidcCodeRepository(node.database);
  const ldapDirectory = createLdapDirectory(node.config, {
    logger: node.logger,
    counters: node.counters ?? new MemoryCounters(),
  });
  const confirmPassword = createConfirmPassword(users, passwords, ldapDirectory);
  const totpSecrets = createTotpSecrets(node.sealerFor("second factor"));
  const erasures = createErasures({ node, users, sessions, sessionRepository, blocks, oneTimeTokens });
  const invitedAccounts = createInvitedAccounts(node, users, erasures);
  return {
    node,
    users,
    admins,
    allUsers,
    blocks,
    friendships: createFriendshipRepository(node.database),
    reaches: createReachRepository(node.database),
    erasures,
    unusedGuests: createUnusedGuests({ node, users, sessionRepository, erasures }),
    sessionRepository,
    sessions,
    passwords,
    confirmPassword,
    reauthenticate: createReauthenticate(users, oidcCodes, confirmPassword),
    mailer,
    refusedAddresses,
    totpSecrets,
    secondFactor: createSecondFactor(users, totpSecrets, node.logger),
    logIn: createLogIn(users, sessions),
    oneTimeTokens,
    accountMails,
    providers: createProviders(node.config, node.logger),
    oidcCodes,
    provisionedGroups,
    provisionedAdmins,
    usedAssertions: createUsedAssertionRepository(node.database),
    ldapDirectory,
    externalAccounts: createExternalAccounts({
      node,
      users,
      allUsers,
      admins,
      accountMails,
      invitedAccounts,
      provisionedAdmins,
    }),
    invitedAccounts,
  };
}
