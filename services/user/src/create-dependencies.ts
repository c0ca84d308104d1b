import type { NodeContext } from "@fanfare/kernel";
import { createMailer } from "@fanfare/mail";
import { createAccountMails } from "./account-mails.ts";
import { createAdminRepository } from "./admin.repository.ts";
import { createAdmins } from "./admins.ts";
import { createAllUsersRepository } from "./all-users.repository.ts";
import { createBlockRepository } from "./block.repository.ts";
import { createConfirmPassword } from "./confirm-password.ts";
import { createErasures } from "./erasures.ts";
import { createInvitedAccounts } from "./invited-accounts.ts";
import { createLogIn } from "./log-in.ts";
import { createMailedTokenRepository } from "./mailed-token.repository.ts";
import { createOidcAccounts } from "./oidc/oidc-accounts.ts";
import { createOidcCodeRepository } from "./oidc/oidc-code.repository.ts";
import { createOidcProvider } from "./oidc/oidc-provider.ts";
import { createPasswords } from "./passwords.ts";
import { createReauthenticate } from "./reauthenticate.ts";
import { createSecondFactor } from "./second-factor.ts";
import { createSessionRepository } from "./session.repository.ts";
import { createSetupTokenRepository } from "./setup-token.repository.ts";
import { createSessions } from "./sessions.ts";
import { createTotpSecrets } from "./totp-secrets.ts";
import { createUnusedGuests } from "./unused-guests.ts";
import { createUserRepository } from "./user.repository.ts";
import type { UserDependencies } from "./user.dependencies.ts";

export function createDependencies(node: NodeContext): UserDependencies {
  const sessionRepository = createSessionRepository(node.database);
  const users = createUserRepository(node.database);
  const allUsers = createAllUsersRepository(node.database);
  const setupTokens = createSetupTokenRepository(node.database);
  const admins = createAdmins({
    users,
    repository: createAdminRepository(node.database),
    setupTokens,
    firstIsAdmin: node.config.environment !== "production",
  });
  const sessions = createSessions(node, sessionRepository);
  const mailer = createMailer(node);
  const mailedTokens = createMailedTokenRepository(node.database);
  const accountMails = createAccountMails(mailer, mailedTokens, node);
  const blocks = createBlockRepository(node.database);
  const passwords = createPasswords();
  const oidcCodes = createOidcCodeRepository(node.database);
  const confirmPassword = createConfirmPassword(users, passwords);
  const totpSecrets = createTotpSecrets(node.sealerFor("second factor"));
  const erasures = createErasures({ node, users, sessions, sessionRepository, blocks, mailedTokens });
  const invitedAccounts = createInvitedAccounts(node, users, erasures);
  return {
    node,
    users,
    admins,
    setupTokens,
    allUsers,
    blocks,
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
    mailedTokens,
    accountMails,
    oidcProvider: createOidcProvider(node.config, node.logger),
    oidcCodes,
    oidcAccounts: createOidcAccounts(users, allUsers, admins, node, accountMails, invitedAccounts),
    invitedAccounts,
  };
}
