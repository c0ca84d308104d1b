import { serviceError, type Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";
import { presentOwnUser, presentUser } from "../user.presenter.ts";

export function me({ users }: UserDependencies): Handler<"user.me"> {
  return async ({ actor }) => {
    const user = await users.find(actor.userId);
    if (user === null) throw serviceError("UNAUTHENTICATED");
    return { user: presentOwnUser(user) };
  };
}

export function get({ users }: UserDependencies): Handler<"user.get"> {
  return async ({ params }) => {
    const user = await users.find(params.userId);
    if (user === null) throw serviceError("USER_NOT_FOUND");
    return { user: presentUser(user) };
  };
}

export function getMany({ users }: UserDependencies): Handler<"user.getMany"> {
  return async ({ params }) => {
    const found = await users.findMany([...new Set(params.userIds)]);
    return { users: found.map(presentUser) };
  };
}
