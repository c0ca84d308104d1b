import type { Model, Types } from "mongoose";
import type { UserDocument } from "./user.model.ts";

export interface SeenGuest {
  _id: Types.ObjectId;
  seenAt: Date;
}

export interface UserPage {
  /** Guests that somebody came in as, and that are not deleted; not those of imported groups, whom nobody ever was. */
  guests: SeenGuest[];
  /** Where the next page begins; null: there is none. */
  next: Types.ObjectId | null;
}

/** The queries of the collection users that are about guests who do not come back. */
export function createGuestQueries(users: Model<UserDocument>) {
  return {
    /** By id, so that a page costs the same however few of the users are guests. */
    async pageOfGuests(after: Types.ObjectId | null, limit: number): Promise<UserPage> {
      const page = await users
        .find(after === null ? {} : { _id: { $gt: after } }, { kind: 1, seenAt: 1, deletedAt: 1 })
        .sort({ _id: 1 })
        .limit(limit)
        .lean();
      const guests = page.flatMap(({ _id, kind, seenAt, deletedAt }) =>
        kind === "guest" && seenAt !== undefined && deletedAt === undefined ? [{ _id, seenAt }] : [],
      );
      return { guests, next: page.length < limit ? null : page.at(-1)!._id };
    },

    async setSeenAt({ _id, seenAt }: SeenGuest): Promise<void> {
      await users.updateOne({ _id, kind: "guest", seenAt: { $lt: seenAt } }, { $set: { seenAt } });
    },
  };
}
