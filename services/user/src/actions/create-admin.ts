import { newId, type Handler } from "@fanfare/kernel";
import { refuseTaken, throwTaken } from "../taken.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import type { UserDocument } from "../user.model.ts";
import { presentAdminUser } from "../user.presenter.ts";
import { credentialFields, searchFields } from "../user.repository.ts";

/** For who runs the server: the account is an admin's, whether it is the first one or not. */
export function createAdmin({ users, admins, passwords }: UserDependencies): Handler<"user.createAdmin"> {
  return async ({ params: { username, password } }) => {
    await refuseTaken(users, { username }, false);
    const passwordHash = await passwords.hash(password, { username });
    const user: UserDocument = {
      _id: newId(),
      ...credentialFields({ username, passwordHash }),
      nickname: username,
      ...searchFields({ nickname: username }),
      avatarUrl: null,
      kind: "member",
      createdAt: new Date(),
    };
    const userId = user._id;
    await admins.withFirst(userId, (isFirst) =>
      users.insert(isFirst ? { ...user, admin: true } : user).catch(throwTaken),
    );
    await admins.grant(userId);
    return { user: presentAdminUser({ ...user, admin: true }) };
  };
}
