import type { Collection } from "@fanfare/kernel";
import type { QueryFilter } from "mongoose";
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
export function createErasureQueries({ model: users, change, update }: Collection<UserDocument>) {
  const anonymous = { nickname: NICKNAME, avatarUrl: null };
  return {
    /**
     * Takes everything personal out at once, and notes that the rest is to follow.
     * @param condition that must still be true of the user
     * @returns null: it is not, or that was done before
     */
    erase: (userId: string, now: Date, condition: QueryFilter<UserDocument> = {}) =>
      change(
        { ...condition, _id: userId, deletedAt: null },
        { $set: { ...anonymous, deletedAt: now, erasing: now }, $unset: PERSONAL },
      ),

    async deletedAmong(userIds: readonly string[]): Promise<Set<string>> {
      const found = await users
        .find({ _id: { $in: userIds }, deletedAt: { $gt: new Date(0) } }, { _id: 1 })
        .lean();
      return new Set(found.map(({ _id }) => _id));
    },

    /** The rest has followed; what a call that was under way has written since goes too. */
    finishErasure: (userId: string) =>
      update({ _id: userId }, { $set: anonymous, $unset: { ...PERSONAL, erasing: 1 } }),

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

export interface SeenGuest {
  _id: string;
  seenAt: Date;
}

interface UserPage {
  /** Guests that logged in and are not deleted; not the placeholder guests of imported groups. */
  guests: SeenGuest[];
  /** Guests of whom nothing says when they were seen last: some of imported groups are among them. */
  unseen: string[];
  /** Where the next page begins; null: there is none. */
  next: string | null;
}

const ABSENT = { $exists: false } as const;
const FIELDS = { kind: 1, seenAt: 1, importedIn: 1, deletedAt: 1 } as const;

/** The queries of the collection users that are about guests who do not come back. */
export function createGuestQueries({ model: users, update }: Collection<UserDocument>) {
  return {
    /** By id, so that a page costs the same however few of the users are guests. */
    async pageOfGuests(after: string | null, limit: number): Promise<UserPage> {
      const page = await users
        .find(after === null ? {} : { _id: { $gt: after } }, FIELDS)
        .sort({ _id: 1 })
        .limit(limit)
        .lean();
      const there = page.filter(({ kind, deletedAt }) => kind === "guest" && deletedAt === undefined);
      const guests = there.flatMap(({ _id, seenAt }) => (seenAt === undefined ? [] : [{ _id, seenAt }]));
      const unseen = there.filter(
        ({ seenAt, importedIn }) => seenAt === undefined && importedIn === undefined,
      );
      return {
        guests,
        unseen: unseen.map(({ _id }) => _id),
        next: page.length < limit ? null : page.at(-1)!._id,
      };
    },

    /** Of a guest of whom nothing says when he was seen last. */
    setFirstSeenAt: ({ _id, seenAt }: SeenGuest) =>
      update({ _id, kind: "guest", seenAt: ABSENT, deletedAt: ABSENT }, { $set: { seenAt } }),

    setSeenAt: ({ _id, seenAt }: SeenGuest) =>
      update({ _id, kind: "guest", seenAt: { $lt: seenAt } }, { $set: { seenAt } }),
  };
}
