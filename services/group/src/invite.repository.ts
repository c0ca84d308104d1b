import type { Connection, Types } from "mongoose";
import { COUNTER, DURABLE } from "./durable.ts";
import { inviteModel, type InviteDocument } from "./invite.model.ts";

export type InviteRepository = ReturnType<typeof createInviteRepository>;

/** Every query of the collection invites. */
export function createInviteRepository(connection: Connection) {
  const invites = inviteModel(connection);
  return {
    createIndexes: () => invites.createIndexes(),

    async insert(invite: InviteDocument): Promise<void> {
      await invites.collection.insertOne(invite, { writeConcern: DURABLE });
    },

    findByCode: (code: string) => invites.findOne({ code }).lean(),

    /** Oldest first; also those that have expired or are used up. */
    listOfGroup: (groupId: string, limit: number) =>
      invites.find({ groupId }).sort({ _id: 1 }).limit(limit).lean(),

    /** One more use, unless there is none left: the comparison and the change are one operation. */
    async takeUse({ _id, maxUses }: InviteDocument): Promise<boolean> {
      const result = await invites.updateOne(
        { _id, ...(maxUses === null ? {} : { uses: { $lt: maxUses } }) },
        { $inc: { uses: 1 } },
        { writeConcern: COUNTER },
      );
      return result.matchedCount === 1;
    },

    async giveUseBack({ _id }: InviteDocument): Promise<void> {
      await invites.updateOne({ _id }, { $inc: { uses: -1 } }, { writeConcern: COUNTER });
    },

    async remove(ids: readonly Types.ObjectId[]): Promise<void> {
      await invites.deleteMany({ _id: { $in: ids } });
    },
  };
}
