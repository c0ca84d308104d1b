import { newId, withoutDeadline, type Handler } from "@fanfare/kernel";
import { assertPasswordsAccepted } from "../entry.policy.ts";
import { refuseTaken, throwTaken } from "../taken.ts";
import { tellOwner } from "../tell-owner.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import type { UserDocument } from "../user.model.ts";
import { credentialFields, searchFields } from "../user.repository.ts";

export function adminState({ admins }: UserDependencies): Handler<"user.adminState"> {
  return async () => ({ state: await admins.state() });
}

export function createSetupToken({ setupTokens }: UserDependencies): Handler<"user.createSetupToken"> {
  return async () => ({ token: await setupTokens.make() });
}

export function setUpAdmin(dependencies: UserDependencies): Handler<"user.setUpAdmin"> {
  const { node, users, admins, passwords, sessions } = dependencies;
  return async ({ params: { token, username, password, locale }, client }) => {
    // Before anything else, so that without the link there is nothing to learn here and no hash to cause.
    await admins.checkSetup(token);
    assertPasswordsAccepted(await node.policy.get());
    await refuseTaken(users, { username }, false);
    const passwordHash = await passwords.hash(password, { username });
    const user: UserDocument = {
      _id: newId(),
      ...credentialFields({ username, passwordHash }),
      nickname: username,
      ...searchFields({ nickname: username }),
      ...(locale !== undefined && { locale }),
      avatarUrl: null,
      kind: "member",
      admin: true,
      createdAt: new Date(),
    };
    const finish = async () => {
      await admins.setUp(token, user._id, () => users.insert(user).catch(throwTaken));
      return sessions.open(user, client);
    };
    // The link is used up as soon as the account is stored.
    return withoutDeadline(finish);
  };
}

export function becomeAdmin({
  node,
  users,
  admins,
  sessions,
}: UserDependencies): Handler<"user.becomeAdmin"> {
  return async ({ params: { token }, actor }) => {
    const finish = async () => {
      await admins.setUp(token, actor.userId, () => users.setAdmin(actor.userId, true));
      const admin = (await users.find(actor.userId))!;
      tellOwner(node, admin);
      return sessions.continueAlone(admin, actor.sessionId);
    };
    return withoutDeadline(finish);
  };
}
