import type { NodeContext } from "@fanfare/kernel";
import type { Mailer } from "@fanfare/mail";
import type { AccountMails } from "./account-mails.ts";
import type { Admins } from "./admins.ts";
import type { AllUsersRepository } from "./all-users.repository.ts";
import type { BlockRepository } from "./block.repository.ts";
import type { InvitedAccounts } from "./invited-accounts.ts";
import type { LogIn } from "./log-in.ts";
import type { MailedTokenRepository } from "./mailed-token.repository.ts";
import type { OidcAccounts } from "./oidc/oidc-accounts.ts";
import type { OidcCodeRepository } from "./oidc/oidc-code.repository.ts";
import type { OidcProvider } from "./oidc/oidc-provider.ts";
import type { ConfirmPassword } from "./confirm-password.ts";
import type { Erasures } from "./erasures.ts";
import type { Passwords } from "./passwords.ts";
import type { Reauthenticate } from "./reauthenticate.ts";
import type { SecondFactor } from "./second-factor.ts";
import type { SessionRepository } from "./session.repository.ts";
import type { Sessions } from "./sessions.ts";
import type { TotpSecrets } from "./totp-secrets.ts";
import type { UnusedGuests } from "./unused-guests.ts";
import type { UserRepository } from "./user.repository.ts";

/** What the actions of this service work with. */
export interface UserDependencies {
  node: NodeContext;
  users: UserRepository;
  admins: Admins;
  allUsers: AllUsersRepository;
  blocks: BlockRepository;
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
  mailedTokens: MailedTokenRepository;
  accountMails: AccountMails;
  oidcProvider: OidcProvider;
  oidcCodes: OidcCodeRepository;
  oidcAccounts: OidcAccounts;
}
