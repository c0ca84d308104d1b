import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { administerActions } from "./admins.ts";
import { blockActions, friendActions } from "./friends/friends.ts";
import { botActions } from "./bots.ts";
import { passwordActions, passwordResetActions } from "./password.ts";
import { registrationActions } from "./registration.ts";
import { myDataActions } from "./my-data.ts";
import { inviteMailActions, missedMailActions } from "./mails.ts";
import { nameActions, profileActions } from "./profiles.ts";
import { emailActions, defineEmailRelease } from "./email.ts";
import { loginActions } from "./login.ts";
import { reachActions } from "./friends/reach.ts";
import { signOnActions } from "./sign-on/sign-on.ts";
import { passkeyActions } from "./passkeys.ts";
import { provisionedGroupActions } from "./provisioned-groups.ts";
import { provisioningActions } from "./provisioning.ts";
import { secondFactorActions } from "./second-factor.ts";
import { defineOverdueSweep } from "./sessions.ts";
import { createDependencies } from "./user.dependencies.ts";

export { createImportedAccounts } from "./imported-accounts.ts";

/** Accounts, sessions, profiles and friends: the actions `user.*` and `friend.*` of the contract. */
export function createUserService(node: NodeContext): ReturnType<ServiceFactory> {
  const dependencies = createDependencies(node);
  const { users, accountMails, mailer, providers, sessions } = dependencies;
  defineOverdueSweep(node, sessions, users);
  if (accountMails.canSend) defineEmailRelease(node, users);
  return defineService(node, {
    name: "user",
    actions: {
      ...administerActions(dependencies),
      ...blockActions(dependencies),
      ...botActions(dependencies),
      ...emailActions(dependencies),
      ...friendActions(dependencies),
      ...reachActions(dependencies),
      ...inviteMailActions(dependencies),
      ...loginActions(dependencies),
      ...missedMailActions(dependencies),
      ...myDataActions(dependencies),
      ...nameActions(dependencies),
      ...passkeyActions(dependencies),
      ...passwordActions(dependencies),
      ...passwordResetActions(dependencies),
      ...profileActions(dependencies),
      ...provisionedGroupActions(dependencies),
      ...provisioningActions(dependencies),
      ...registrationActions(dependencies),
      ...secondFactorActions(dependencies),
      ...signOnActions(dependencies),
    },
    async started() {
      for (const provider of providers.values()) if (provider.protocol === "saml") await provider.check();
    },
    async stopped() {
      await mailer.stop();
    },
  });
}
