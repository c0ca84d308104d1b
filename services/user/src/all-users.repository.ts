import { defineRepository } from "@fanfare/kernel";
import { prefixRange } from "./prefix-range.ts";
import { userCollection } from "./user.model.ts";

export type AllUsersRepository = ReturnType<typeof createAllUsersRepository>;

/** The queries of the collection users that are about all of them: for those who run the instance. */
export const createAllUsersRepository = defineRepository(userCollection, ({ model: users }) => {
  const after = { returnDocument: "after" } as const;
  return {
    /** From what the database knows of the collection, without reading it. */
    count: () => users.estimatedDocumentCount(),

    /** Accounts and guests that someone can log in to; counts no further than `max`. */
    countPeople: (max: number) =>
      users.countDocuments(
        { kind: { $in: ["member", "guest"] }, deletedAt: { $exists: false }, importedIn: { $exists: false } },
        { limit: max },
      ),

    /** Newest first. */
    listPage: (beforeId: string | undefined, limit: number) =>
      users
        .find(beforeId === undefined ? {} : { _id: { $lt: beforeId } })
        .sort({ _id: -1 })
        .limit(limit)
        .lean(),

    /** Also those who cannot be found by others. */
    listByPrefix: (field: "usernameLower" | "nicknameLower" | "emailLower", prefix: string, limit: number) =>
      users
        .find({ [field]: prefixRange(prefix) })
        .sort({ [field]: 1 })
        .limit(limit)
        .lean(),

    /** null when there is no such user, or it is an admin. */
    disable: (userId: string, disabledAt: Date) =>
      users.findOneAndUpdate({ _id: userId, admin: null }, { $set: { disabledAt } }, after).lean(),

    enable: (userId: string) =>
      users.findOneAndUpdate({ _id: userId }, { $unset: { disabledAt: 1 } }, after).lean(),
  };
});
