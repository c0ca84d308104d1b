import { LIMITS, type Result } from "@fanfare/contract";
import { serviceError, withoutDeadline } from "@fanfare/kernel";
import type { AdminRepository } from "./admin.repository.ts";
import type { UserRepository } from "./user.repository.ts";

/** Longer than storing an account takes in a process that is alive. */
const ABANDONED_AFTER_MS = 3 * LIMITS.writeTimeoutMs;

export type Admins = ReturnType<typeof createAdmins>;

/** Who runs this instance: at first whoever makes the first account. */
export function createAdmins(users: UserRepository, repository: AdminRepository) {
  /** Once there is an account there always is one: from then on nothing is asked. */
  let isFresh = true;

  const claim = async (userId: string): Promise<boolean> => {
    if (isFresh && (await users.findAnyAccount()) !== null) isFresh = false;
    return isFresh && repository.claim(userId, new Date(Date.now() - ABANDONED_AFTER_MS));
  };

  /** The first account could not be made. If another one took the name meanwhile, without being told to be the first, it becomes admin. */
  const passOn = async (userId: string): Promise<void> => {
    const other = (await users.findAnyAccount())?._id.toHexString() ?? null;
    await repository.replaceOnly(userId, other);
    if (other !== null) await users.setAdmin(other, true);
  };

  return {
    /**
     * Makes an account, which is the admin's if it is the first one: of several at once exactly one is. Who dies in between leaves
     * an instance without accounts, and whoever comes next is the first.
     * @param make stores the account, with the flag if it is true
     */
    async withFirst<T>(userId: string, make: (isFirst: boolean) => Promise<T>): Promise<T> {
      const isFirst = await claim(userId);
      try {
        return await make(isFirst);
      } catch (error) {
        if (isFirst) await withoutDeadline(() => passOn(userId));
        throw error;
      }
    },

    async state(): Promise<Result<"user.adminState">["state"]> {
      if ((await users.findAnyAccount()) === null) return "firstToRegister";
      return (await repository.listIds()).length > 0 ? "exists" : "none";
    },

    /**
     * In force with the user's next access token. Repeatable.
     * @throws {ServiceError} LIMIT_REACHED
     */
    async grant(userId: string): Promise<void> {
      const max = LIMITS.adminsPerInstance;
      if (!(await repository.add(userId)))
        throw serviceError("LIMIT_REACHED", { limit: "adminsPerInstance", max });
      await users.setAdmin(userId, true);
    },

    /**
     * The user's sessions have to end afterwards, because access tokens say who is an admin. Repeatable.
     * @throws {ServiceError} LAST_ADMIN
     */
    async revoke(userId: string): Promise<void> {
      if (!(await repository.remove(userId))) throw serviceError("LAST_ADMIN");
      await users.setAdmin(userId, false);
    },
  };
}
