import { LIMITS } from "@fanfare/contract";
import { defineRepository, nullIfDuplicate, ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** The admins of this instance, in a single document so that checks for the first and the last one are atomic. */
interface AdminsDocument {
  _id: "admins";
  userIds: string[];
  /** When the first admin was added, just before the account is stored. */
  claimedAt: Date;
}

const schema = new Schema<AdminsDocument>(
  {
    _id: { type: String, required: true },
    userIds: [ID],
    claimedAt: { type: Date, required: true },
  },
  { collection: "admins" },
);

export type AdminRepository = ReturnType<typeof createAdminRepository>;

/** Queries of the collection admins, which has a single document. */
export const createAdminRepository = defineRepository(
  { name: "Admins", schema },
  ({ model: admins, insert: insertOne }) => {
    const _id = "admins" as const;

    /** @returns false when the document already exists */
    const insert = async (userId: string): Promise<boolean> => {
      const claim = { _id, userIds: [userId], claimedAt: new Date() };
      return (await nullIfDuplicate(insertOne(claim))) !== null;
    };

    const listIds = async (): Promise<string[]> => {
      const list = await admins.findById(_id).lean();
      return list?.userIds ?? [];
    };

    return {
      listIds,

      /**
       * Makes the user the only admin if there is none, or if the only one was added before `abandonedBefore`.
       * @param others if given, only these are replaced
       */
      async claim(userId: string, abandonedBefore: Date, others?: readonly string[]): Promise<boolean> {
        if (await insert(userId)) return true;
        const result = await admins.updateOne(
          { _id, claimedAt: { $lt: abandonedBefore }, ...(others && { userIds: [...others] }) },
          { $set: { userIds: [userId], claimedAt: new Date() } },
        );
        return result.matchedCount === 1;
      },

      /** Replaces the only admin with another user, or with no one. */
      async replaceOnly(userId: string, otherId: string | null): Promise<void> {
        const filter = { _id, userIds: [userId] };
        if (otherId === null) await admins.deleteOne(filter);
        else await admins.updateOne(filter, { $set: { userIds: [otherId] } });
      },

      /** Reverts a claim; admins added in the meantime stay. */
      async release(userId: string): Promise<void> {
        const { deletedCount } = await admins.deleteOne({ _id, userIds: [userId] });
        if (deletedCount === 0) await admins.updateOne({ _id }, { $pull: { userIds: userId } });
      },

      /** @returns false when there are too many others */
      async add(userId: string): Promise<boolean> {
        const isRoom = { [`userIds.${LIMITS.adminsPerInstance - 1}`]: { $exists: false } };
        const room = { _id, $or: [{ userIds: userId }, isRoom] };
        const addOne = async () =>
          (await admins.updateOne(room, { $addToSet: { userIds: userId } })).matchedCount;
        return (await addOne()) === 1 || (await insert(userId)) || (await addOne()) === 1;
      },

      /** @returns false when the user is the last admin */
      async remove(userId: string): Promise<boolean> {
        const notLast = { _id, userIds: userId, "userIds.1": { $exists: true } };
        const result = await admins.updateOne(notLast, { $pull: { userIds: userId } });
        return result.matchedCount === 1 || !(await listIds()).includes(userId);
      },
    };
  },
);
