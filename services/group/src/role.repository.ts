import { LIMITS } from "@fanfare/contract";
import { DURABLE } from "@fanfare/kernel";
import { Schema, type Connection, type Model, type Types } from "mongoose";
import { createGather } from "./database.ts";

export interface RoleDocument {
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  name: string;
  color: number | null;
  permissions: number;
  /** The higher one stands above; of equal ones the one with the greater id. */
  position: number;
  mentionable: boolean;
  createdAt: Date;
  /** Set when the role is deleted but not yet removed from all members. It is invisible and grants nothing. */
  deletedAt?: Date;
}

const roleSchema = new Schema<RoleDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    name: { type: String, required: true },
    color: { type: Number, default: null },
    permissions: { type: Number, required: true },
    position: { type: Number, required: true },
    mentionable: { type: Boolean, required: true },
    createdAt: { type: Date, required: true },
    deletedAt: Date,
  },
  { collection: "roles", writeConcern: DURABLE, versionKey: false },
);
roleSchema.index({ groupId: 1, position: 1, _id: 1 });
roleSchema.index({ deletedAt: 1 }, { sparse: true });

function roleModel(connection: Connection): Model<RoleDocument> {
  return connection.model<RoleDocument>("Role", roleSchema);
}

export type RoleChanges = Partial<Pick<RoleDocument, "name" | "color" | "permissions" | "mentionable">>;
export type RoleRepository = ReturnType<typeof createRoleRepository>;

/** A race may let a few more in than LIMITS.rolesPerGroup. */
const MAX_ROLES = 2 * LIMITS.rolesPerGroup;

/** Every query of the collection roles. Deleted roles are found by nothing but `listDeleted`. */
export function createRoleRepository(connection: Connection) {
  const roles = roleModel(connection);
  const alive = { deletedAt: null };
  const listOfGroup = createGather((groupId, _calls: undefined[]) =>
    roles
      .find({ groupId, ...alive })
      .sort({ position: 1, _id: 1 })
      .limit(MAX_ROLES)
      .lean()
      .exec(),
  );
  return {
    async insert(role: RoleDocument): Promise<void> {
      await roles.collection.insertOne(role, { writeConcern: DURABLE });
    },

    async insertMany(documents: readonly RoleDocument[]): Promise<void> {
      await roles.collection.insertMany([...documents], { writeConcern: DURABLE });
    },

    find: (groupId: string, roleId: string) => roles.findOne({ _id: roleId, groupId, ...alive }).lean(),

    /** In the order of the group, the lowest first. */
    listOfGroup: (groupId: string) => listOfGroup(groupId, undefined),

    findMany: (roleIds: readonly (string | Types.ObjectId)[]) =>
      roles.find({ _id: { $in: roleIds }, ...alive }).lean(),

    update: (groupId: string, roleId: string, changes: RoleChanges) =>
      roles
        .findOneAndUpdate({ _id: roleId, groupId, ...alive }, { $set: changes }, { returnDocument: "after" })
        .lean(),

    async setPositions(
      groupId: string,
      positions: readonly { roleId: string; position: number }[],
    ): Promise<void> {
      if (positions.length === 0) return;
      await roles.bulkWrite(
        positions.map(({ roleId, position }) => ({
          updateOne: { filter: { _id: roleId, groupId }, update: { $set: { position } } },
        })),
        { ordered: false, writeConcern: DURABLE },
      );
    },

    /** false when it is deleted already. */
    async markDeleted(groupId: string, roleId: string): Promise<boolean> {
      const result = await roles.updateOne(
        { _id: roleId, groupId, ...alive },
        { $set: { deletedAt: new Date() } },
      );
      return result.matchedCount === 1;
    },

    listDeleted: (limit: number) =>
      roles
        .find({ deletedAt: { $gt: new Date(0) } }, { groupId: 1 })
        .limit(limit)
        .lean(),

    async remove(roleId: string): Promise<void> {
      await roles.deleteOne({ _id: roleId });
    },

    /** @returns how many were removed: fewer than `limit` when none are left. */
    async removeSome(groupId: string, limit: number): Promise<number> {
      const found = await roles.find({ groupId }, { _id: 1 }).limit(limit).lean();
      await roles.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      return found.length;
    },
  };
}
