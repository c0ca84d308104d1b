import type { Model, QueryFilter } from "mongoose";
import type { UserDocument } from "./user.model.ts";

/** For programs that do not look at `deleted`: others show it in the language of who reads it. */
const NICKNAME = "Deleted user";

/** Everything personal, whatever it is: all that is not listed here goes. */
type Kept = "_id" | "nickname" | "avatarUrl" | "kind" | "createdAt" | "deletedAt" | "erasing";
const PERSONAL: Record<Exclude<keyof UserDocument, Kept>, 1> = {
  username: 1,
  usernameLower: 1,
  email: 1,
  emailLower: 1,
  emailVerifiedAt: 1,
  emailClaimedAt: 1,
  mustVerifyEmail: 1,
  locale: 1,
  nicknameLower: 1,
  bio: 1,
  passwordHash: 1,
  totp: 1,
  totpPending: 1,
  totpGuesses: 1,
  passwordGuesses: 1,
  oidcKey: 1,
  admin: 1,
  disabledAt: 1,
  seenAt: 1,
  importedIn: 1,
};

/** The queries of the collection users that are about leaving for good. */
export function createErasureQueries(users: Model<UserDocument>) {
  const nobody = { nickname: NICKNAME, avatarUrl: null };
  return {
    /**
     * Takes everything personal out at once, and notes that the rest is to follow.
     * @param condition that must still be true of the user
     * @returns null: it is not, or that was done before
     */
    erase: (userId: string, now: Date, condition: QueryFilter<UserDocument> = {}) =>
      users
        .findOneAndUpdate(
          { ...condition, _id: userId, deletedAt: null },
          { $set: { ...nobody, deletedAt: now, erasing: now }, $unset: PERSONAL },
          { returnDocument: "after" },
        )
        .lean(),

    async deletedAmong(userIds: readonly string[]): Promise<Set<string>> {
      const found = await users
        .find({ _id: { $in: userIds }, deletedAt: { $gt: new Date(0) } }, { _id: 1 })
        .lean();
      return new Set(found.map(({ _id }) => _id));
    },

    /** The rest has followed; what a call that was under way has written since goes too. */
    async finishErasure(userId: string): Promise<void> {
      await users.updateOne({ _id: userId }, { $set: nobody, $unset: { ...PERSONAL, erasing: 1 } });
    },

    /** The longest waiting first. */
    async listErasing(before: Date, limit: number): Promise<string[]> {
      const found = await users
        .find({ erasing: { $lt: before } }, { _id: 1 })
        .sort({ erasing: 1 })
        .limit(limit)
        .lean();
      return found.map(({ _id }) => _id);
    },
  };
}
