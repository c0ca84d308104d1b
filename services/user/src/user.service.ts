import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { administerActions } from "./admin-actions.ts";
import { blockActions } from "./blocks.ts";
import { botActions } from "./bots.ts";
import { passwordActions, passwordResetActions } from "./password.ts";
import { registrationActions } from "./registration.ts";
import { myDataActions } from "./my-data.ts";
import { inviteMailActions } from "./invite-mails.ts";
import { missedMailActions } from "./missed-mails.ts";
import { nameActions } from "./names.ts";
import { emailActions } from "./email.ts";
import { profileActions } from "./profiles.ts";
import { loginActions } from "./login.ts";
import { friendActions } from "./friends/friends.ts";
import { reachActions } from "./friends/reach.ts";
import { oidcActions } from "./oidc/oidc.ts";
import { passkeyActions } from "./passkeys.ts";
import { provisioningActions } from "./provisioning.ts";
import { secondFactorActions } from "./second-factor.ts";
import { defineOverdueSweep } from "./sessions.ts";
import { createDependencies } from "./user.dependencies.ts";
import { defineEmailRelease } from "./email.ts";

/** Accounts, sessions, profiles and friends: the actions `user.*` and `friend.*` of the contract. */
export function createUserService(node: NodeContext): ReturnType<ServiceFactory> {
  const dependencies = createDependencies(node);
  const { users, accountMails, mailer, sessions } = dependencies;
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
      ...oidcActions(dependencies),
      ...passkeyActions(dependencies),
      ...passwordActions(dependencies),
      ...passwordResetActions(dependencies),
      ...profileActions(dependencies),
      ...provisioningActions(dependencies),
      ...registrationActions(dependencies),
      ...secondFactorActions(dependencies),
    },
    async stopped() {
      await mailer.stop();
    },
  });
}
