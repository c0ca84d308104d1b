import { DURABLE } from "@fanfare/kernel";
import { Schema, type Connection, type Model, type Types } from "mongoose";
import { COUNTER, createGather } from "./database.ts";

export interface InviteDocument {
  _id: Types.ObjectId;
  code: string;
  groupId: Types.ObjectId;
  createdBy: Types.ObjectId;
  uses: number;
  /** null: any number. */
  maxUses: number | null;
  /** null: never. */
  expiresAt: Date | null;
  createdAt: Date;
}

const inviteSchema = new Schema<InviteDocument>(
  {
    code: { type: String, required: true },
    groupId: { type: Schema.Types.ObjectId, required: true },
    createdBy: { type: Schema.Types.ObjectId, required: true },
    uses: { type: Number, required: true },
    maxUses: { type: Number, default: null },
    expiresAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
  },
  { collection: "invites", writeConcern: DURABLE, versionKey: false },
);
inviteSchema.index({ code: 1 }, { unique: true });
inviteSchema.index({ groupId: 1, _id: 1 });
// Cleans up only: every reader compares the time itself.
inviteSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

function inviteModel(connection: Connection): Model<InviteDocument> {
  return connection.model<InviteDocument>("Invite", inviteSchema);
}

export type InviteRepository = ReturnType<typeof createInviteRepository>;

/** Every query of the collection invites. */
export function createInviteRepository(connection: Connection) {
  const invites = inviteModel(connection);
  const findByCode = createGather((code, _calls: undefined[]) => invites.findOne({ code }).lean().exec());
  const countUses = createGather(async (inviteId, calls: undefined[]) => {
    const result = await invites.updateOne(
      { _id: inviteId },
      { $inc: { uses: calls.length } },
      { writeConcern: COUNTER },
    );
    return result.matchedCount === 1;
  });
  return {
    async insert(invite: InviteDocument): Promise<void> {
      await invites.collection.insertOne(invite, { writeConcern: DURABLE });
    },

    findByCode: (code: string) => findByCode(code, undefined),

    /** Oldest first; also those that have expired or are used up. */
    listOfGroup: (groupId: string, limit: number) =>
      invites.find({ groupId }).sort({ _id: 1 }).limit(limit).lean(),

    /** One more use, unless there is none left: the comparison and the change are one operation. */
    async takeUse({ _id, maxUses }: InviteDocument): Promise<boolean> {
      if (maxUses === null) return countUses(_id.toHexString(), undefined);
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

    async remove(ids: readonly Types.ObjectId[]): Promise<void> {
      await invites.deleteMany({ _id: { $in: ids } });
    },
  };
}
