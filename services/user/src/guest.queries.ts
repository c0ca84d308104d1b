import type { Model } from "mongoose";
import type { UserDocument } from "./user.model.ts";

export interface SeenGuest {
  _id: string;
  seenAt: Date;
}

export interface UserPage {
  /** Guests that somebody came in as, and that are not deleted; not those of imported groups, whom nobody ever was. */
  guests: SeenGuest[];
  /** Guests of whom nothing says when they were seen last: some of imported groups are among them. */
  unseen: string[];
  /** Where the next page begins; null: there is none. */
  next: string | null;
}

const ABSENT = { $exists: false } as const;
const FIELDS = { kind: 1, seenAt: 1, importedIn: 1, deletedAt: 1 } as const;

/** The queries of the collection users that are about guests who do not come back. */
export function createGuestQueries(users: Model<UserDocument>) {
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
    async setFirstSeenAt({ _id, seenAt }: SeenGuest): Promise<void> {
      await users.updateOne({ _id, kind: "guest", seenAt: ABSENT, deletedAt: ABSENT }, { $set: { seenAt } });
    },

    async setSeenAt({ _id, seenAt }: SeenGuest): Promise<void> {
      await users.updateOne({ _id, kind: "guest", seenAt: { $lt: seenAt } }, { $set: { seenAt } });
    },
  };
}
