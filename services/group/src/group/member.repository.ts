import { LIMITS } from "@fanfare/contract";
import { createBatcher, defineRepository, ID, newId, REQUIRED_ID, nullIfDuplicate } from "@fanfare/kernel";
import { Schema, Types } from "mongoose";
import { CROWD_MS } from "../database.ts";
import { roleIdsOf } from "../group.presenter.ts";

export interface MemberDocument {
  _id: string;
  groupId: string;
  userId: string;
  /** Absent for members who never had a role, which keeps the index small. Can still contain a deleted role. */
  roleIds?: string[];
  /** Shown in this group instead of the user's own. */
  nickname?: string;
  avatarUrl?: string;
  /** The group id while there is a nickname or a picture, so that the index only contains these members. */
  nicknameIn?: string;
  mutedUntil: Date | null;
  joinedAt: Date;
}

const schema = new Schema<MemberDocument>(
  {
    groupId: REQUIRED_ID,
    userId: REQUIRED_ID,
    roleIds: { type: [ID], default: undefined },
    nickname: String,
    avatarUrl: String,
    nicknameIn: ID,
    mutedUntil: { type: Date, default: null },
    joinedAt: { type: Date, required: true },
  },
  { collection: "members" },
);
schema.index({ groupId: 1, userId: 1 }, { unique: true });
schema.index({ groupId: 1, joinedAt: -1 });
schema.index({ userId: 1 });
schema.index({ roleIds: 1 }, { sparse: true });
schema.index({ nicknameIn: 1, userId: 1 }, { sparse: true });

/** Undefined: unchanged; null: removed. */
interface NicknameChange {
  nickname?: string | null | undefined;
  avatarUrl?: string | null | undefined;
}

/** Concurrent joins can exceed LIMITS.groupsPerUser by a few. */
const MAX_GROUPS = 2 * LIMITS.groupsPerUser;
/** Bounds one database result to about 2 MB: this many users in MAX_GROUPS groups each. */
const USERS_PER_LOOKUP = 100;

/** Queries of the collection members. Their cost doesn't depend on the size of the group, except for `count`. */
export const createMemberRepository = defineRepository(
  { name: "Member", schema },
  ({ model: members, native, fromNative, insert, listIds, removeSome, change, updateAll }) => {
    const membersAmong = createBatcher(async (groupId, userIds: string[]) => {
      const found = await members.find({ groupId, userId: { $in: userIds } }, { userId: 1, _id: 0 }).lean();
      return new Set(found.map(({ userId }) => userId));
    });
    const readPlaces = async (_key: string, userIds: string[]) => {
      const asked = [...new Set(userIds)].map((userId) => new Types.ObjectId(userId));
      const found = native.find(
        { userId: { $in: asked } },
        { projection: { userId: 1, groupId: 1, roleIds: 1, _id: 0 }, limit: asked.length * MAX_GROUPS },
      );
      return Map.groupBy(fromNative(await found.toArray()), ({ userId }) => userId);
    };
    const placesAmong = createBatcher(readPlaces, { maxBatch: USERS_PER_LOOKUP });
    const placesInCrowd = createBatcher(readPlaces, { maxBatch: USERS_PER_LOOKUP, crowdMs: CROWD_MS });
    return {
      /** @returns null when the user is already a member */
      async insert(
        groupId: string,
        userId: string,
        {
          joinedAt = new Date(),
          mutedUntil = null,
          roleIds,
          nickname,
          avatarUrl,
        }: Partial<MemberDocument> = {},
      ): Promise<MemberDocument | null> {
        const member: MemberDocument = {
          _id: newId(),
          groupId,
          userId,
          ...(roleIds !== undefined && { roleIds }),
          ...(nickname !== undefined && { nickname }),
          ...(avatarUrl !== undefined && { avatarUrl }),
          ...((nickname ?? avatarUrl) !== undefined && { nicknameIn: groupId }),
          mutedUntil,
          joinedAt,
        };
        return nullIfDuplicate(insert(member));
      },

      find: (groupId: string, userId: string) => members.findOne({ groupId, userId }).lean(),

      /** @returns those of the users who are members */
      findMany: (groupId: string, userIds: readonly string[]) =>
        members.find({ groupId, userId: { $in: userIds } }).lean(),

      exists: async (groupId: string, userId: string): Promise<boolean> =>
        (await membersAmong(groupId, userId)).has(userId),

      /** Concurrent calls share a query when many users log in together. */
      async listGroupIds(userId: string): Promise<string[]> {
        const places = (await placesAmong("all", userId)).get(userId) ?? [];
        return places.map(({ groupId }) => groupId);
      },

      /** The user's groups with their roles. Concurrent calls share a query when many users log in together. */
      async listPlaces(userId: string): Promise<{ groupId: string; roleIds: string[] }[]> {
        const places = (await placesInCrowd("all", userId)).get(userId) ?? [];
        return places.map((place) => ({ groupId: place.groupId, roleIds: roleIdsOf(place) }));
      },

      /** Sorted by user id. */
      listPage: (groupId: string, afterUserId: string | undefined, limit: number) =>
        members
          .find({ groupId, ...(afterUserId === undefined ? {} : { userId: { $gt: afterUserId } }) })
          .sort({ groupId: 1, userId: 1 })
          .limit(limit)
          .lean(),

      /** Those who joined last. */
      listNewest: (groupId: string, limit: number) =>
        members.find({ groupId }).sort({ groupId: 1, joinedAt: -1 }).limit(limit).lean(),

      /** @returns null when the user is not a member */
      async setNickname(
        groupId: string,
        userId: string,
        next: NicknameChange,
      ): Promise<MemberDocument | null> {
        const isRemoved = (field: keyof NicknameChange): boolean => next[field] === null;
        const fields = (["nickname", "avatarUrl"] as const).filter((field) => next[field] !== undefined);
        const [gone, kept] = [fields.filter(isRemoved), fields.filter((field) => !isRemoved(field))];
        const changed = await change(
          { groupId, userId },
          {
            $set: { ...Object.fromEntries(kept.map((field) => [field, next[field]])), nicknameIn: groupId },
            ...(gone.length > 0 && { $unset: Object.fromEntries(gone.map((field) => [field, 1 as const])) }),
          },
        );
        if (changed === null || (changed.nickname ?? changed.avatarUrl) !== undefined) return changed;
        // Separate, so that a concurrent change keeps the member in the index.
        const absent = { $exists: false };
        const without = { groupId, userId, nickname: absent, avatarUrl: absent };
        return (await change(without, { $unset: { nicknameIn: 1 } })) ?? changed;
      },

      listWithNickname: (groupId: string, limit: number) =>
        members.find({ nicknameIn: groupId }).sort({ nicknameIn: 1, userId: 1 }).limit(limit).lean(),

      /** @returns null when the user is not a member */
      setMutedUntil: (groupId: string, userId: string, mutedUntil: Date | null) =>
        change({ groupId, userId }, { $set: { mutedUntil } }),

      /** @returns the member before the change; null when the user is not a member or has `max` roles */
      addRole: (groupId: string, userId: string, roleId: string, max: number) =>
        members
          .findOneAndUpdate(
            { groupId, userId, [`roleIds.${max - 1}`]: { $exists: false } },
            { $addToSet: { roleIds: roleId } },
          )
          .lean(),

      /** @returns the member before the change; null when the user is not a member */
      removeRole: (groupId: string, userId: string, roleId: string) =>
        members.findOneAndUpdate({ groupId, userId }, { $pull: { roleIds: roleId } }).lean(),

      /** @returns the number of changed members: fewer than `limit` when no member has the role any more */
      async removeRoleOfSome(roleId: string, limit: number): Promise<number> {
        const ids = await listIds({ roleIds: roleId }, limit);
        await updateAll({ _id: { $in: ids } }, { $pull: { roleIds: roleId } });
        return ids.length;
      },

      /** @returns the removed member, or null when there was none */
      remove: (groupId: string, userId: string) => members.findOneAndDelete({ groupId, userId }).lean(),

      /** Reads an index entry per member, so it must not be called while an action waits. */
      count: (groupId: string) => members.countDocuments({ groupId }),

      /** @returns the number of removed members: fewer than `limit` when none are left */
      removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),
    };
  },
);
