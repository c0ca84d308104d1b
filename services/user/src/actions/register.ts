import type { Handler } from "@fanfare/kernel";
import { Types } from "mongoose";
import { refuseTaken, throwTaken } from "../taken.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import type { UserDocument } from "../user.model.ts";
import { credentialFields } from "../user.repository.ts";

export function register({ users, sessions, passwords }: UserDependencies): Handler<"user.register"> {
  return async ({ params }) => {
    const { username, email, password, nickname = username } = params;
    await refuseTaken(users, params);
    const passwordHash = await passwords.hash(password);
    const user: UserDocument = {
      _id: new Types.ObjectId(),
      ...credentialFields({ username, email, passwordHash }),
      nickname,
      avatarUrl: null,
      kind: "member",
      createdAt: new Date(),
    };
    await users.insert(user).catch(throwTaken);
    return sessions.open(user);
  };
}
