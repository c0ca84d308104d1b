import { type Collection, createBatcher } from "@fanfare/kernel";
import type { QueryFilter } from "mongoose";
import type { UserDocument } from "./user.model.ts";

/** For clients that ignore `deleted`; others show a localized name. */
const NICKNAME = "Deleted user";

/** Fields that are kept; everything else is removed as personal data. */
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
  customStatus: 1,
  preferences: 1,
  passwordHash: 1,
  totp: 1,
  totpPending: 1,
  totpGuesses: 1,
  passkeys: 1,
  passwordGuesses: 1,
  oidcKey: 1,
  oidcLogins: 1,
  ldapKey: 1,
  scim: 1,
  admin: 1,
  disabledAt: 1,
  seenAt: 1,
  importedIn: 1,
};

/** Queries of the collection users for deleting accounts. */
export function createErasureQueries({ model: users, change, update }: Collection<UserDocument>) {
  const anonymous = { nickname: NICKNAME, avatarUrl: null };
  const deletedAmong = createBatcher(async (_all, asked: (readonly string[])[]) => {
    const found = await users
      .find({ _id: { $in: [...new Set(asked.flat())] }, deletedAt: { $gt: new Date(0) } }, { _id: 1 })
      .lean();
    return new Set(found.map(({ _id }) => _id));
  });
  return {
    /**
     * Removes all personal data from the user document and marks the data elsewhere for removal.
     * @param condition must also match the user
     * @returns null when the user doesn't match or was erased before
     */
    erase: (userId: string, now: Date, condition: QueryFilter<UserDocument> = {}) =>
      change(
        { ...condition, _id: userId, deletedAt: null },
        { $set: { ...anonymous, deletedAt: now, erasing: now }, $unset: PERSONAL },
      ),

    /** May also have others that were asked for at the same time. */
    deletedAmong: (userIds: readonly string[]): Promise<Set<string>> => deletedAmong("", userIds),

    /** Ends the erasure and removes fields that concurrent calls have written since. */
    finishErasure: (userId: string) =>
      update({ _id: userId }, { $set: anonymous, $unset: { ...PERSONAL, erasing: 1 } }),

    /** Oldest first. */
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
  /** Guests that have logged in and are not deleted; without the authors of imported groups. */
  guests: SeenGuest[];
  /** Guests without `seenAt`, which can be authors of imported groups. */
  unseen: string[];
  /** Cursor of the next page, or null. */
  next: string | null;
}

const ABSENT = { $exists: false } as const;
const FIELDS = { kind: 1, seenAt: 1, importedIn: 1, deletedAt: 1 } as const;

/** Queries of the collection users for deleting inactive guests. */
export function createGuestQueries({ model: users, update }: Collection<UserDocument>) {
  return {
    /** By id, so that the cost of a page doesn't depend on how many users are guests. */
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

    /** For guests without `seenAt`. */
    setFirstSeenAt: ({ _id, seenAt }: SeenGuest) =>
      update({ _id, kind: "guest", seenAt: ABSENT, deletedAt: ABSENT }, { $set: { seenAt } }),

    setSeenAt: ({ _id, seenAt }: SeenGuest) =>
      update({ _id, kind: "guest", seenAt: { $lt: seenAt } }, { $set: { seenAt } }),
  };
}
