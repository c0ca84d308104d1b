import type { Handlers } from "@fanfare/kernel";
import type { UserDependencies } from "./user.dependencies.ts";
import type { UserDocument } from "./user.model.ts";
import { localeOf } from "./user.presenter.ts";

/** Emails of other services to users, for which only this service knows the addresses. */
export const missedMailActions = ({ users, sessionRepository, mailer }: UserDependencies): Handlers => {
  const findReachable = async (userId: string): Promise<(UserDocument & { email: string }) | null> => {
    const user = await users.find(userId);
    if (user?.email === undefined || user.emailVerifiedAt === undefined) return null;
    if (user.deletedAt !== undefined || user.disabledAt !== undefined) return null;
    return { ...user, email: user.email };
  };
  return {
    "user.findMailbox": async ({ params: { userId } }) => {
      const user = await findReachable(userId);
      if (user === null) return { mailbox: null };
      const active = await sessionRepository.lastRefreshes([userId], new Date());
      const activeAt = active.get(userId)?.toISOString() ?? null;
      return { mailbox: { locale: localeOf(user), activeAt } };
    },

    "user.mailMissed": async ({ params: { userId, items, more, path, unsubscribePath, key } }) => {
      const user = await findReachable(userId);
      if (user === null) return {};
      const to = {
        email: user.email,
        locale: localeOf(user),
        unsubscribe: { userId, path: unsubscribePath },
      };
      await mailer.send(to, "missed", { items, more }, path, key);
      return {};
    },
  };
};
