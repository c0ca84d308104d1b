import type { Handler } from "@fanfare/kernel";
import { Types } from "mongoose";
import { refuseTaken, throwTaken } from "../taken.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import type { UserDocument } from "../user.model.ts";
import { credentialFields, searchFields } from "../user.repository.ts";

export function register({
  users,
  admins,
  sessions,
  passwords,
  accountMails,
}: UserDependencies): Handler<"user.register"> {
  return async ({ params, client }) => {
    const { username, password, nickname = username, locale } = params;
    const { email, contestedEmail } = await refuseTaken(users, params, accountMails.canSend);
    const passwordHash = await passwords.hash(password);
    const user: UserDocument = {
      _id: new Types.ObjectId(),
      ...credentialFields({ username, email, passwordHash }),
      nickname,
      ...searchFields({ nickname }),
      ...(locale !== undefined && { locale }),
      avatarUrl: null,
      kind: "member",
      createdAt: new Date(),
    };
    const stored = await admins.withFirst(user._id.toHexString(), async (isFirst) => {
      const made: UserDocument = isFirst ? { ...user, admin: true } : user;
      await users.insert(made).catch(throwTaken);
      return made;
    });
    const tokens = await sessions.open(stored, client);
    await accountMails.welcome(stored, contestedEmail ?? email, client);
    return tokens;
  };
}
