import { serviceError, type Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";
import { presentUser } from "../user.presenter.ts";

export function findByUsername({ users }: Pick<UserDependencies, "users">): Handler<"user.findByUsername"> {
  return async ({ params }) => {
    const user = await users.findByUsername(params.username);
    if (user === null) throw serviceError("USER_NOT_FOUND");
    return { user: presentUser(user) };
  };
}
