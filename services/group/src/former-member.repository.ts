import { DURABLE, duplicateKeyIndex } from "@fanfare/kernel";
import { Schema, type Connection, type Model, type Types } from "mongoose";

/** A user who has been in a group, so its channels may hold their messages. They may be a member again. */
interface FormerMemberDocument {
  _id: Types.ObjectId;
  /** A group, or a direct channel of several. */
  groupId: Types.ObjectId;
  userId: Types.ObjectId;
  /** The epoch of the membership: a join that was asked for before the latest removal is refused. Absent in old documents. */
  leftAt?: Date;
}

const formerMemberSchema = new Schema<FormerMemberDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    leftAt: { type: Date },
  },
  { collection: "formerMembers", writeConcern: DURABLE, versionKey: false },
);
formerMemberSchema.index({ userId: 1, groupId: 1 }, { unique: true });
formerMemberSchema.index({ groupId: 1 });

function formerMemberModel(connection: Connection): Model<FormerMemberDocument> {
  return connection.model<FormerMemberDocument>("FormerMember", formerMemberSchema);
}

export type FormerMemberRepository = ReturnType<typeof createFormerMemberRepository>;

/** Every query of the collection formerMembers. */
export function createFormerMemberRepository(connection: Connection) {
  const formers = formerMemberModel(connection);
  return {
    async note(groupId: string, userId: string): Promise<void> {
      const leftAt = new Date();
      const note = () => formers.updateOne({ groupId, userId }, { $max: { leftAt } }, { upsert: true });
      await note().catch((error: unknown) => {
        // Another removal of the same member has just noted it.
        if (duplicateKeyIndex(error) === null) throw error;
        return note();
      });
    },

    /** Whether the user was removed from the group, or left it, after `atMs` (milliseconds since the epoch). */
    async hasLeftSince(groupId: string, userId: string, atMs: number): Promise<boolean> {
      const found = await formers.findOne({ userId, groupId }, { leftAt: 1 }).lean();
      return found?.leftAt !== undefined && found.leftAt.getTime() > atMs;
    },

    /** Groups, and direct channels, that a user was in, in the order of their ids. */
    async listGroupIds(userId: string, afterGroupId: string | null, limit: number): Promise<string[]> {
      const found = await formers
        .find({ userId, ...(afterGroupId !== null && { groupId: { $gt: afterGroupId } }) }, { groupId: 1 })
        .sort({ userId: 1, groupId: 1 })
        .limit(limit)
        .lean();
      return found.map(({ groupId }) => groupId.toHexString());
    },

    /** @returns how many were removed: fewer than `limit` when none are left. */
    async removeSome(groupId: string, limit: number): Promise<number> {
      const found = await formers.find({ groupId }, { _id: 1 }).limit(limit).lean();
      await formers.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      return found.length;
    },

    /** The same of one user. */
    async removeSomeOf(userId: string, limit: number): Promise<number> {
      const found = await formers.find({ userId }, { _id: 1 }).limit(limit).lean();
      await formers.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      return found.length;
    },
  };
}
