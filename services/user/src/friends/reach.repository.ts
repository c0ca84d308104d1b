import type { Reach } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** Who can reach a user. Without a document, everyone can. */
interface ReachDocument extends Reach {
  /** The user id. */
  _id: string;
}

const schema = new Schema<ReachDocument>(
  { _id: REQUIRED_ID, requestsFrom: String, directFrom: String },
  { collection: "reaches" },
);

const OPEN: Reach = { requestsFrom: "everyone", directFrom: "everyone" };

/** Queries of the collection reaches, all by user id. */
export const createReachRepository = defineRepository(
  { name: "Reach", schema },
  ({ model: reaches, remove }) => {
    const toReach = (stored: Partial<ReachDocument> | null | undefined): Reach => ({
      requestsFrom: stored?.requestsFrom ?? OPEN.requestsFrom,
      directFrom: stored?.directFrom ?? OPEN.directFrom,
    });
    return {
      async set(userId: string, changes: Partial<Reach>): Promise<Reach> {
        const change = { $set: changes };
        const options = { upsert: true, returnDocument: "after" } as const;
        return toReach(await reaches.findOneAndUpdate({ _id: userId }, change, options).lean());
      },

      remove: (userId: string) => remove({ _id: userId }),

      async findMany(userIds: readonly string[]): Promise<Map<string, Reach>> {
        const found = await reaches.find({ _id: { $in: userIds } }).lean();
        const byId = new Map(found.map((stored) => [stored._id, stored]));
        return new Map(userIds.map((userId) => [userId, toReach(byId.get(userId))]));
      },
    };
  },
);
