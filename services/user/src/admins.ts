import { LIMITS, type Result } from "@fanfare/contract";
import { limitReached, serviceError, withoutDeadline } from "@fanfare/kernel";
import type { AdminRepository } from "./admin.repository.ts";
import type { OneTimeTokenRepository } from "./one-time-token.repository.ts";
import type { UserRepository } from "./user.repository.ts";

/** Longer than a live process takes to store an account. */
const ABANDONED_AFTER_MS = 3 * LIMITS.writeTimeoutMs;

export type Admins = ReturnType<typeof createAdmins>;

interface AdminsOptions {
  users: UserRepository;
  repository: AdminRepository;
  oneTimeTokens: OneTimeTokenRepository;
  /** Whether the first account becomes the admin. Otherwise a setup link or the CLI is needed. */
  firstIsAdmin: boolean;
}

/** The admins of this instance, including how the first one is determined. */
export function createAdmins({ users, repository, oneTimeTokens, firstIsAdmin }: AdminsOptions) {
  const abandonedBefore = (): Date => new Date(Date.now() - ABANDONED_AFTER_MS);
  /** False once an account exists, which never changes back: no further queries are needed. */
  let isFresh = true;

  const hasAdmin = async (userIds: readonly string[]): Promise<boolean> =>
    (await users.findMany(userIds)).some(({ admin }) => admin === true);

  const claim = async (userId: string): Promise<boolean> => {
    if (!firstIsAdmin) return false;
    if (isFresh && (await users.findAnyAccount()) !== null) isFresh = false;
    return isFresh && repository.claim(userId, abandonedBefore());
  };

  /** Called when the first account couldn't be stored: another account created in the meantime becomes the admin. */
  const passAdminOn = async (userId: string): Promise<void> => {
    const other = (await users.findAnyAccount())?._id ?? null;
    await repository.replaceOnly(userId, other);
    if (other !== null) await users.setAdmin(other, true);
  };

  /**
   * @returns the listed ids, none of which is an admin: a dead process has left them
   * @throws {ServiceError} INVALID_LINK when the token is unknown or expired, or the instance has an admin
   */
  const checkSetup = async (token: string): Promise<string[]> => {
    const listed = await repository.listIds();
    const found = await oneTimeTokens.find(token, "setUp");
    if (found === null || (await hasAdmin(listed))) throw serviceError("INVALID_LINK");
    return listed;
  };

  return {
    checkSetup,

    listIds: () => repository.listIds(),

    /**
     * Makes a user the first admin. Of concurrent uses, of one link or several, only one succeeds. A use that fails leaves the
     * link valid.
     * @param make stores the user as an admin
     * @throws {ServiceError} as `checkSetup`; errors from `make`
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
     * Creates an account, which becomes the admin if it is the first; of concurrent calls exactly one is. If the process dies in
     * between, the instance still has no accounts and the next one is the first.
     * @param make stores the account, as an admin if the flag is true
     */
    async withFirst<T>(userId: string, make: (isFirst: boolean) => Promise<T>): Promise<T> {
      const isFirst = await claim(userId);
      try {
        return await make(isFirst);
      } catch (error) {
        if (isFirst) await withoutDeadline(() => passAdminOn(userId));
        throw error;
      }
    },

    async state(): Promise<Result<"user.adminState">["state"]> {
      if (firstIsAdmin && (await users.findAnyAccount()) === null) return "firstToRegister";
      return (await hasAdmin(await repository.listIds())) ? "exists" : "none";
    },

    /**
     * Takes effect with the user's next access token. Idempotent.
     * @throws {ServiceError} LIMIT_REACHED
     */
    async grant(userId: string): Promise<void> {
      if (!(await repository.add(userId))) throw limitReached("adminsPerInstance");
      await users.setAdmin(userId, true);
    },

    /**
     * The caller must end the user's sessions afterwards, because access tokens contain the admin flag. Idempotent.
     * @throws {ServiceError} LAST_ADMIN
     */
    async revoke(userId: string): Promise<void> {
      if (!(await repository.remove(userId))) throw serviceError("LAST_ADMIN");
      await users.setAdmin(userId, false);
    },
  };
}
