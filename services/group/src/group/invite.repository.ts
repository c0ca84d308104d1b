import { createBatcher, defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { COUNTER } from "../database.ts";

export interface InviteDocument {
  _id: string;
  code: string;
  groupId: string;
  createdBy: string;
  uses: number;
  /** null: unlimited. */
  maxUses: number | null;
  /** null: never. */
  expiresAt: Date | null;
  /** The address that it was emailed to. */
  email?: string;
  createdAt: Date;
}

const schema = new Schema<InviteDocument>(
  {
    code: { type: String, required: true },
    groupId: REQUIRED_ID,
    createdBy: REQUIRED_ID,
    uses: { type: Number, required: true },
    maxUses: { type: Number, default: null },
    expiresAt: { type: Date, default: null },
    email: String,
    createdAt: { type: Date, required: true },
  },
  { collection: "invites" },
);
schema.index({ code: 1 }, { unique: true });
schema.index({ groupId: 1, _id: 1 });
// Only for cleanup: readers compare the time themselves.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export type InviteRepository = ReturnType<typeof createInviteRepository>;

/** Queries of the collection invites. */
export const createInviteRepository = defineRepository(
  { name: "Invite", schema },
  ({ model: invites, insert, removeAll, removeSome }) => {
    const findByCode = createBatcher((code, _calls: undefined[]) => invites.findOne({ code }).lean().exec());
    const countUses = createBatcher(async (inviteId, calls: undefined[]) => {
      const result = await invites.updateOne(
        { _id: inviteId },
        { $inc: { uses: calls.length } },
        { writeConcern: COUNTER },
      );
      return result.matchedCount === 1;
    });
    return {
      insert,

      findByCode: (code: string) => findByCode(code, undefined),

      removeBy: (groupId: string, createdBy: string) => removeAll({ groupId, createdBy }),

      /** Oldest first; includes expired and used-up ones. */
      listOfGroup: (groupId: string, limit: number) =>
        invites.find({ groupId }).sort({ _id: 1 }).limit(limit).lean(),

      /** Counts a use if one is left; atomic. */
      async takeUse({ _id, maxUses }: InviteDocument): Promise<boolean> {
        if (maxUses === null) return countUses(_id, undefined);
        const result = await invites.updateOne(
          { _id, uses: { $lt: maxUses } },
          { $inc: { uses: 1 } },
          { writeConcern: COUNTER },
        );
        return result.matchedCount === 1;
      },

      async giveUseBack({ _id }: InviteDocument): Promise<void> {
        await invites.updateOne({ _id }, { $inc: { uses: -1 } }, { writeConcern: COUNTER });
      },

      remove: (ids: readonly string[]) => removeAll({ _id: { $in: ids } }),
      removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),
    };
  },
);
