import { newId, type Handler } from "@fanfare/kernel";
import { assertCanRegister, assertPasswordsAccepted, assertRoomForUser } from "../entry.policy.ts";
import { refuseTaken, throwTaken } from "../taken.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import type { UserDocument } from "../user.model.ts";
import { credentialFields, searchFields } from "../user.repository.ts";

export function register({
  node,
  users,
  allUsers,
  admins,
  sessions,
  passwords,
  accountMails,
  invitedAccounts,
}: UserDependencies): Handler<"user.register"> {
  return async ({ params, client }) => {
    const { username, password, nickname = username, locale, inviteCode } = params;
    const policy = await node.policy.get();
    assertPasswordsAccepted(policy);
    assertCanRegister(policy, params);
    await assertRoomForUser(policy, allUsers);
    if (inviteCode !== undefined) await invitedAccounts.check(inviteCode);
    const { email, contestedEmail } = await refuseTaken(users, params, accountMails.canSend);
    const passwordHash = await passwords.hash(password, { username, nickname, email: params.email });
    const user: UserDocument = {
      _id: newId(),
      ...credentialFields({ username, email, passwordHash }),
      nickname,
      ...searchFields({ nickname }),
      ...(locale !== undefined && { locale }),
      avatarUrl: null,
      kind: "member",
      ...(policy.mailDomains.length > 0 && { mustVerifyEmail: true }),
      createdAt: new Date(),
    };
    const stored = await admins.withFirst(user._id, async (isFirst) => {
      const made: UserDocument = isFirst ? { ...user, admin: true } : user;
      await users.insert(made).catch(throwTaken);
      return made;
    });
    if (inviteCode !== undefined) await invitedAccounts.joinOrDelete(stored._id, inviteCode);
    // Before the session, which does not open where the address must be verified first.
    await accountMails.welcome(stored, contestedEmail ?? email, client);
    return sessions.open(stored, client);
  };
}
