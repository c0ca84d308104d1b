import { newId, serviceError, type Handler } from "@fanfare/kernel";
import { assertPasswordsAccepted, assertRoomForUser } from "../entry.policy.ts";
import { refuseTaken, throwTaken } from "../taken.ts";
import { tellOwner } from "../tell-owner.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import type { UserDocument } from "../user.model.ts";
import { presentAdminUser } from "../user.presenter.ts";
import { credentialFields, searchFields } from "../user.repository.ts";

/** For admins, so the policy about registration does not apply. */
export function createWithoutPassword({
  node,
  users,
  allUsers,
  accountMails,
}: UserDependencies): Handler<"user.createWithoutPassword"> {
  return async ({ params: { username, email, locale } }) => {
    const policy = await node.policy.get();
    assertPasswordsAccepted(policy);
    await assertRoomForUser(policy, allUsers);
    const { contestedEmail } = await refuseTaken(users, { username, email }, accountMails.canSend);
    const user: UserDocument = {
      _id: newId(),
      ...credentialFields({ username, email }),
      nickname: username,
      ...searchFields({ nickname: username }),
      ...(locale !== undefined && { locale }),
      avatarUrl: null,
      kind: "member",
      createdAt: new Date(),
    };
    if (contestedEmail !== undefined) {
      // The admin vouches for the new owner of the address, and the other account has never verified it.
      const displaced = await users.releaseUnverifiedEmail(contestedEmail);
      if (displaced !== null) tellOwner(node, displaced);
    }
    await users.insert(user).catch(throwTaken);
    return { user: presentAdminUser(user), link: await accountMails.sendPasswordLink(user) };
  };
}

export function sendPasswordLink({
  node,
  users,
  accountMails,
}: UserDependencies): Handler<"user.sendPasswordLink"> {
  return async ({ params: { userId } }) => {
    assertPasswordsAccepted(await node.policy.get());
    const user = await users.find(userId);
    if (user === null || user.deletedAt !== undefined) throw serviceError("USER_NOT_FOUND");
    if (user.kind !== "member") throw serviceError("GUEST_NOT_ALLOWED");
    return { link: await accountMails.sendPasswordLink(user) };
  };
}
