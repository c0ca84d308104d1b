import type { Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";
import { presentUser } from "../user.presenter.ts";

/** Of one prefix so many more are read than asked for, in case some are left out. */
const SPARE = 10;

export function search({ users, blocks }: UserDependencies): Handler<"user.search"> {
  return async ({ params: { query, limit }, actor }) => {
    const [byUsername, byNickname] = await Promise.all([
      users.listByPrefix("usernameLower", query, limit + SPARE),
      users.listByPrefix("nicknameLower", query, limit + SPARE),
    ]);
    // Whoever is found by both is there once.
    const found = new Map([...byUsername, ...byNickname].map((user) => [user._id, user]));
    found.delete(actor.userId);
    if (found.size === 0) return { users: [] };
    const blockers = await blocks.blockersAmong([...found.keys()], actor.userId);
    const visible = [...found].filter(([id]) => !blockers.has(id)).map(([, user]) => presentUser(user));
    return { users: visible.slice(0, limit) };
  };
}
