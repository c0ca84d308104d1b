import { LIMITS, type Result } from "@fanfare/contract";
import { limitReached, serviceError, withoutDeadline } from "@fanfare/kernel";
import type { AdminRepository } from "./admin.repository.ts";
import type { SetupTokenRepository } from "./setup-token.repository.ts";
import type { UserRepository } from "./user.repository.ts";

/** Longer than storing an account takes in a process that is alive. */
const ABANDONED_AFTER_MS = 3 * LIMITS.writeTimeoutMs;

export type Admins = ReturnType<typeof createAdmins>;

interface AdminsOptions {
  users: UserRepository;
  repository: AdminRepository;
  setupTokens: SetupTokenRepository;
  /** Whether the first account becomes the admin; otherwise only a setup link or the operator makes the first one. */
  firstIsAdmin: boolean;
}

/** The admins of this instance, and how it gets its first one. */
export function createAdmins({ users, repository, setupTokens, firstIsAdmin }: AdminsOptions) {
  const abandonedBefore = (): Date => new Date(Date.now() - ABANDONED_AFTER_MS);
  /** Once there is an account there always is one: from then on nothing is asked. */
  let isFresh = true;

  const hasAdmin = async (userIds: readonly string[]): Promise<boolean> =>
    (await users.findMany(userIds)).some(({ admin }) => admin === true);

  const claim = async (userId: string): Promise<boolean> => {
    if (!firstIsAdmin) return false;
    if (isFresh && (await users.findAnyAccount()) !== null) isFresh = false;
    return isFresh && repository.claim(userId, abandonedBefore());
  };

  /** The first account could not be made. If another one took the name meanwhile, without knowing that it is the first, it becomes admin. */
  const passOn = async (userId: string): Promise<void> => {
    const other = (await users.findAnyAccount())?._id ?? null;
    await repository.replaceOnly(userId, other);
    if (other !== null) await users.setAdmin(other, true);
  };

  /**
   * @returns the listed ids, of which none is an admin: a process that died has left them
   * @throws {ServiceError} INVALID_LINK when the token is unknown or has expired, or the instance has an admin
   */
  const checkSetup = async (token: string): Promise<string[]> => {
    const listed = await repository.listIds();
    if (!(await setupTokens.isValid(token)) || (await hasAdmin(listed))) throw serviceError("INVALID_LINK");
    return listed;
  };

  return {
    checkSetup,

    /**
     * Makes a user the first admin. The list of admins decides between concurrent uses, of one link or of several: one succeeds. A use
     * that fails leaves the link good.
     * @param make stores the user as an admin
     * @throws {ServiceError} as `checkSetup`, and what `make` throws
     */
    async setUp(token: string, userId: string, make: () => Promise<unknown>): Promise<void> {
      const listed = await checkSetup(token);
      if (!(await repository.claim(userId, abandonedBefore(), listed))) throw serviceError("INVALID_LINK");
      try {
        await make();
      } catch (error) {
        // The outcome of a failed write can be unknown.
        if (!(await hasAdmin([userId]))) await repository.release(userId);
        throw error;
      }
    },

    /**
     * Makes an account, which is the admin's if it is the first one: of several at once exactly one is. Who dies in between leaves
     * an instance without accounts, and the next account is the first.
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
      if (firstIsAdmin && (await users.findAnyAccount()) === null) return "firstToRegister";
      return (await hasAdmin(await repository.listIds())) ? "exists" : "none";
    },

    /**
     * In force with the user's next access token. Repeatable.
     * @throws {ServiceError} LIMIT_REACHED
     */
    async grant(userId: string): Promise<void> {
      if (!(await repository.add(userId))) throw limitReached("adminsPerInstance");
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
