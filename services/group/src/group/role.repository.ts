import { LIMITS } from "@fanfare/contract";
import { createBatcher, defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

export interface RoleDocument {
  _id: string;
  groupId: string;
  name: string;
  color: number | null;
  permissions: number;
  /** Higher roles have higher positions; ties are broken by the greater id. */
  position: number;
  mentionable: boolean;
  createdAt: Date;
  /** Set when the role is deleted but not yet removed from all members. It is invisible and grants nothing. */
  deletedAt?: Date;
}

const schema = new Schema<RoleDocument>(
  {
    groupId: REQUIRED_ID,
    name: { type: String, required: true },
    color: { type: Number, default: null },
    permissions: { type: Number, required: true },
    position: { type: Number, required: true },
    mentionable: { type: Boolean, required: true },
    createdAt: { type: Date, required: true },
    deletedAt: Date,
  },
  { collection: "roles" },
);
schema.index({ groupId: 1, position: 1, _id: 1 });
schema.index({ deletedAt: 1 }, { sparse: true });

type RoleChanges = Partial<Pick<RoleDocument, "name" | "color" | "permissions" | "mentionable">>;
/** Concurrent calls can exceed LIMITS.rolesPerGroup by a few. */
const MAX_ROLES = 2 * LIMITS.rolesPerGroup;

/** Queries of the collection roles. Only `listDeleted` returns deleted roles. */
export const createRoleRepository = defineRepository(
  { name: "Role", schema },
  ({ model: roles, insert, insertMany, updateMany, removeSome, update, remove, change }) => {
    const alive = { deletedAt: null };
    const listOfGroup = createBatcher((groupId, _calls: undefined[]) =>
      roles
        .find({ groupId, ...alive })
        .sort({ position: 1, _id: 1 })
        .limit(MAX_ROLES)
        .lean()
        .exec(),
    );
    return {
      insert,
      insertMany,

      find: (groupId: string, roleId: string) => roles.findOne({ _id: roleId, groupId, ...alive }).lean(),

      /** Sorted by position, lowest first. */
      listOfGroup: (groupId: string) => listOfGroup(groupId, undefined),

      findMany: (roleIds: readonly string[]) => roles.find({ _id: { $in: roleIds }, ...alive }).lean(),

      update: (groupId: string, roleId: string, changes: RoleChanges) =>
        change({ _id: roleId, groupId, ...alive }, { $set: changes }),

      async setPositions(
        groupId: string,
        positions: readonly { roleId: string; position: number }[],
      ): Promise<void> {
        await updateMany(
          positions.map(({ roleId, position }) => ({
            filter: { _id: roleId, groupId },
            update: { $set: { position } },
          })),
        );
      },

      /** @returns false when it is already deleted */
      markDeleted: (groupId: string, roleId: string) =>
        update({ _id: roleId, groupId, ...alive }, { $set: { deletedAt: new Date() } }),

      listDeleted: (limit: number) =>
        roles
          .find({ deletedAt: { $gt: new Date(0) } }, { groupId: 1 })
          .limit(limit)
          .lean(),

      remove: (roleId: string) => remove({ _id: roleId }),

      /** @returns the number of removed roles: fewer than `limit` when none are left */
      removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),
    };
  },
);
