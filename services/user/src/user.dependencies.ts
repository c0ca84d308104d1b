import { MemoryCounters, type NodeContext } from "@fanfare/kernel";
import { createMailer, type Mailer } from "@fanfare/mail";
import { type AccountMails, createAccountMails } from "./account-mails.ts";
import { createAdminRepository } from "./admin.repository.ts";
import { createAdmins, type Admins } from "./admins.ts";
import {
  type AllUsersRepository,
  createAllUsersRepository,
  createUserRepository,
  type UserRepository,
} from "./user.repository.ts";
import { createBlockRepository, type BlockRepository } from "./block.repository.ts";
import {
  type ConfirmPassword,
  createConfirmPassword,
  createReauthenticate,
  type Reauthenticate,
} from "./reauthenticate.ts";
import {
  createErasures,
  createInvitedAccounts,
  createUnusedGuests,
  type Erasures,
  type InvitedAccounts,
  type UnusedGuests,
} from "./erasures.ts";
import { createExternalAccounts, type ExternalAccounts } from "./external-accounts.ts";
import { createFriendshipRepository, type FriendshipRepository } from "./friends/friendship.repository.ts";
import { createReachRepository, type ReachRepository } from "./friends/reach.repository.ts";
import { createLdapDirectory, type LdapDirectory } from "./ldap-directory.ts";
import { createLogIn, type LogIn } from "./login.ts";
import { createOneTimeTokenRepository, type OneTimeTokenRepository } from "./one-time-token.repository.ts";
import { createOidcCodeRepository, type OidcCodeRepository } from "./oidc/oidc-code.repository.ts";
import { createOidcProviders, type OidcProviders } from "./oidc/oidc-provider.ts";
import { createPasswords, type Passwords } from "./passwords.ts";
import {
  createSecondFactor,
  createTotpSecrets,
  type SecondFactor,
  type TotpSecrets,
} from "./second-factor.ts";
import { createSessionRepository, type SessionRepository } from "./session.repository.ts";
import { createSessions, type Sessions } from "./sessions.ts";

/** Dependencies of the actions of this service. */
export interface UserDependencies {
  node: NodeContext;
  users: UserRepository;
  admins: Admins;
  allUsers: AllUsersRepository;
  blocks: BlockRepository;
  friendships: FriendshipRepository;
  reaches: ReachRepository;
  erasures: Erasures;
  invitedAccounts: InvitedAccounts;
  unusedGuests: UnusedGuests;
  sessionRepository: SessionRepository;
  sessions: Sessions;
  passwords: Passwords;
  confirmPassword: ConfirmPassword;
  reauthenticate: Reauthenticate;
  totpSecrets: TotpSecrets;
  secondFactor: SecondFactor;
  logIn: LogIn;
  mailer: Mailer;
  oneTimeTokens: OneTimeTokenRepository;
  accountMails: AccountMails;
  oidcProviders: OidcProviders;
  oidcCodes: OidcCodeRepository;
  ldapDirectory: LdapDirectory;
  externalAccounts: ExternalAccounts;
}

export function createDependencies(node: NodeContext): UserDependencies {
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
  const mailer = createMailer({
    ...node,
    onRefused: async (userId, email) => {
      // The user may have another address by now.
      if ((await users.find(userId))?.email === email)
        await node.services.notification.setEmailsRefused({ userId, refused: true });
    },
  });
  const accountMails = createAccountMails(mailer, oneTimeTokens, node);
  const blocks = createBlockRepository(node.database);
  const passwords = createPasswords();
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
    totpSecrets,
    secondFactor: createSecondFactor(users, totpSecrets, node.logger),
    logIn: createLogIn(users, sessions),
    oneTimeTokens,
    accountMails,
    oidcProviders: createOidcProviders(node.config, node.logger),
    oidcCodes,
    ldapDirectory,
    externalAccounts: createExternalAccounts({
      node,
      users,
      allUsers,
      admins,
      accountMails,
      invitedAccounts,
    }),
    invitedAccounts,
  };
}
