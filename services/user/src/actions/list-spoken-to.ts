import type { Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";
import { localeOf } from "../user.presenter.ts";

export function listNames({ users }: UserDependencies): Handler<"user.listNames"> {
  return async ({ params: { userIds } }) => {
    const found = await users.findMany([...new Set(userIds)]);
    return { users: found.map(({ _id, nickname }) => ({ userId: _id, name: nickname })) };
  };
}

export function listSpokenTo({ users, sessionRepository }: UserDependencies): Handler<"user.listSpokenTo"> {
  return async ({ params: { userIds } }) => {
    const found = await users.findMany([...new Set(userIds)]);
    const reached = found.filter((user) => user.deletedAt === undefined && user.disabledAt === undefined);
    const now = new Date();
    return {
      users: await Promise.all(
        reached.map(async (user) => {
          const userId = user._id;
          const living = await sessionRepository.listLiving(userId, now);
          return { userId, locale: localeOf(user), sessionIds: living.map(({ _id }) => _id) };
        }),
      ),
    };
  };
}
