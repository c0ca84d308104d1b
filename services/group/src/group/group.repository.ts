import { createBatcher, defineRepository, ID, REQUIRED_ID } from "@fanfare/kernel";
import { Schema, Types } from "mongoose";
import { COUNTER, CROWD_MS } from "../database.ts";

export interface GroupDocument {
  _id: string;
  name: string;
  description?: string;
  iconUrl?: string | null;
  ownerId: string;
  memberCount: number;
  defaultChannelId?: string | null;
  /** Absent or null: none. */
  systemChannelId?: string | null;
  /** Permissions of every member. Absent: MEMBER_PERMISSIONS. */
  defaultPermissions?: number;
  /** Absent or null: messages are stored forever. */
  retentionDays?: number | null;
  /** The rev of its word filter. Absent: no filter. */
  wordFilterRev?: number;
  /** Whether the directory lists it. Absent: no. */
  listed?: boolean;
  /** Whether new members need approval. Absent: no. */
  needsApproval?: boolean;
  /** Joins before a lockdown starts. Absent or null: no limit. */
  raidLimit?: number | null;
  /** The times of the latest joins, oldest first: at most `raidLimit`. */
  recentJoins?: Date[];
  /** New members need approval until then. Stays when the lockdown is over. */
  lockdownUntil?: Date;
  createdAt: Date;
  /** Set while the group is being created or imported; `deletedAt` is the epoch until then. */
  importingSince?: Date;
  /** Set when the group is deleted but its data is not yet removed. It is no longer visible. */
  deletedAt?: Date;
}

const schema = new Schema<GroupDocument>(
  {
    name: { type: String, required: true },
    description: String,
    iconUrl: String,
    defaultChannelId: ID,
    systemChannelId: ID,
    defaultPermissions: Number,
    wordFilterRev: Number,
    retentionDays: Number,
    listed: Boolean,
    needsApproval: Boolean,
    raidLimit: Number,
    recentJoins: { type: [Date], default: undefined },
    lockdownUntil: Date,
    ownerId: REQUIRED_ID,
    memberCount: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    importingSince: Date,
    deletedAt: Date,
  },
  { collection: "groups" },
);
schema.index({ ownerId: 1 });
schema.index({ deletedAt: 1 }, { sparse: true });
// Partial, so that joins only change it for the few groups that are listed.
schema.index({ memberCount: -1, _id: -1 }, { partialFilterExpression: { listed: true }, name: "directory" });

const groupCollection = { name: "Group", schema };

/** Bounds the size of one database result. */
const USERS_PER_LOOKUP = 100;

/** Marks a group that is being created: hidden like a deleted one, but not purged. */
const NOT_YET = new Date(0);

type GroupChanges = Partial<
  Pick<
    GroupDocument,
    | "name"
    | "description"
    | "defaultPermissions"
    | "retentionDays"
    | "iconUrl"
    | "listed"
    | "needsApproval"
    | "raidLimit"
  > & {
    defaultChannelId: string | null;
    systemChannelId: string | null;
  }
>;
export type JoinRules = Pick<GroupDocument, "needsApproval" | "raidLimit" | "lockdownUntil">;
export type DirectoryPosition = Pick<GroupDocument, "_id" | "memberCount">;
export type GroupRepository = ReturnType<typeof createGroupRepository>;

/** Queries of the collection groups. Only `findAny` and `listDeletedIds` return deleted groups. */
export const createGroupRepository = defineRepository(
  groupCollection,
  ({ model: groups, native, fromNative, insert, update, listIds, remove, change }) => {
    const alive = { deletedAt: null };
    const unfinished = (groupId: string) => ({ _id: groupId, deletedAt: NOT_YET });
    const after = { returnDocument: "after" } as const;
    const noLockdown = () => ({
      $or: [{ lockdownUntil: { $exists: false } }, { lockdownUntil: { $lte: new Date() } }],
    });
    /** Concurrent joins share one write of the counter instead of contending for its document. */
    const addToMemberCount = createBatcher((groupId, changes: (1 | -1)[]) =>
      groups
        .findOneAndUpdate(
          { _id: groupId, ...alive },
          { $inc: { memberCount: changes.reduce<number>((sum, change) => sum + change, 0) } },
          { ...after, writeConcern: COUNTER },
        )
        .lean()
        .exec(),
    );
    const ownedAmong = createBatcher(
      async (_key, userIds: string[]) => {
        const asked = [...new Set(userIds)].map((userId) => new Types.ObjectId(userId));
        const found = native.find({ ownerId: { $in: asked }, ...alive }, { projection: { ownerId: 1 } });
        return Map.groupBy(fromNative(await found.toArray()), ({ ownerId }) => ownerId);
      },
      { maxBatch: USERS_PER_LOOKUP, crowdMs: CROWD_MS },
    );
    /** Concurrent joins share one read. */
    const joinRulesOf = createBatcher((groupId, _calls: undefined[]) => {
      const fields = { memberCount: 1, needsApproval: 1, raidLimit: 1, lockdownUntil: 1 };
      return groups
        .findOne({ _id: groupId, ...alive }, fields)
        .lean()
        .exec();
    });
    return {
      /** The group stays hidden until `finish`; a sweep removes it if that never happens. */
      async begin(group: GroupDocument): Promise<void> {
        const hidden = { ...group, importingSince: group.createdAt, deletedAt: NOT_YET };
        await insert(hidden);
      },

      find: (groupId: string) => groups.findOne({ _id: groupId, ...alive }).lean(),

      /** Concurrent calls share a query when many users log in together. */
      async listOwnedIds(userId: string): Promise<string[]> {
        return (await ownedAmong("all", userId)).get(userId)?.map(({ _id }) => _id) ?? [];
      },

      /** The owners of those groups that are not deleted, by group id. */
      async listOwners(groupIds: readonly string[]): Promise<Map<string, string>> {
        const found = await groups.find({ _id: { $in: groupIds }, ...alive }, { ownerId: 1 }).lean();
        return new Map(found.map(({ _id, ownerId }) => [_id, ownerId]));
      },

      /** What a join depends on. @returns null when it is deleted */
      joinRules: (groupId: string): Promise<(JoinRules & { memberCount: number }) | null> =>
        joinRulesOf(groupId, undefined),

      /** Also deleted ones. */
      findAny: (groupIds: readonly string[]) => groups.find({ _id: { $in: groupIds } }).lean(),

      findMany: (groupIds: readonly string[]) => groups.find({ _id: { $in: groupIds }, ...alive }).lean(),

      /** The groups in the directory after a position, those with the most members first. */
      listListed: (after: DirectoryPosition | null, limit: number) =>
        groups
          .find({
            listed: true,
            ...alive,
            ...(after !== null && {
              memberCount: { $lte: after.memberCount },
              $or: [{ memberCount: { $lt: after.memberCount } }, { _id: { $lt: after._id } }],
            }),
          })
          .sort({ memberCount: -1, _id: -1 })
          .limit(limit)
          .lean(),

      /** @returns null when it is deleted */
      update: (groupId: string, changes: GroupChanges) =>
        change(
          { _id: groupId, ...alive },
          // With another limit, the count begins again.
          { $set: changes, ...(changes.raidLimit !== undefined && { $unset: { recentJoins: 1 } }) },
        ),

      /** Counts a join. Atomic. @returns false when the group had `limit` joins since then, or new members need approval now */
      addRecentJoin: (groupId: string, limit: number, since: Date) =>
        update(
          {
            _id: groupId,
            ...alive,
            needsApproval: { $ne: true },
            $and: [
              noLockdown(),
              {
                $or: [
                  { [`recentJoins.${limit - 1}`]: { $exists: false } },
                  { "recentJoins.0": { $lte: since } },
                ],
              },
            ],
          },
          { $push: { recentJoins: { $each: [new Date()], $slice: -limit } } },
        ),

      /** @returns null when there is one already, or the group is deleted */
      startLockdown: (groupId: string, until: Date) =>
        change({ _id: groupId, ...alive, ...noLockdown() }, { $set: { lockdownUntil: until } }),

      /** @returns null when there is none, or the group is deleted */
      endLockdown: (groupId: string) =>
        change(
          { _id: groupId, lockdownUntil: { $gt: new Date() }, ...alive },
          { $set: { lockdownUntil: new Date() }, $unset: { recentJoins: 1 } },
        ),

      /** @returns the group if it has referred to the channel */
      async forgetChannel(groupId: string, channelId: string): Promise<GroupDocument | null> {
        let changed: GroupDocument | null = null;
        for (const field of ["defaultChannelId", "systemChannelId"] as const)
          changed =
            (await change({ _id: groupId, [field]: channelId, ...alive }, { $set: { [field]: null } })) ??
            changed;
        return changed;
      },

      /** When filters are set concurrently, the last one wins. */
      async setWordFilterRev(groupId: string, rev: number, isOn: boolean): Promise<void> {
        const older = { $or: [{ wordFilterRev: { $exists: false } }, { wordFilterRev: { $lt: rev } }] };
        const change = isOn ? { $set: { wordFilterRev: rev } } : { $unset: { wordFilterRev: 1 as const } };
        await groups.updateOne({ _id: groupId, ...alive, ...older }, change);
      },

      /** @returns null when `fromUserId` is not the owner, or the group is deleted */
      changeOwner: (groupId: string, fromUserId: string, toUserId: string) =>
        change({ _id: groupId, ownerId: fromUserId, ...alive }, { $set: { ownerId: toUserId } }),

      /** @returns null when the group is deleted */
      addToMemberCount,

      /** Changes the count only if it still has the value that the caller has read. */
      correctMemberCount: (groupId: string, seen: number, correct: number) =>
        update({ _id: groupId, memberCount: seen, ...alive }, { $set: { memberCount: correct } }),

      /** @returns false when the user is not the owner, or the group is already deleted */
      markDeleted: (groupId: string, ownerId: string) =>
        update({ _id: groupId, ownerId, ...alive }, { $set: { deletedAt: new Date() } }),

      listDeletedIds: (limit: number) => listIds({ deletedAt: { $gt: new Date(0) } }, limit),

      /** Restarts the timeout of a group that is being created. @returns false when it isn't being created */
      keepUnfinished: (groupId: string) =>
        update(unfinished(groupId), { $set: { importingSince: new Date() } }),

      findUnfinished: (groupId: string) => groups.findOne(unfinished(groupId)).lean(),

      /** @returns null when it isn't being created */
      finish: (groupId: string, group: Omit<GroupDocument, "_id">) =>
        change(unfinished(groupId), { $set: group, $unset: { deletedAt: 1, importingSince: 1 } }),

      /** @returns false when it isn't being created */
      cancel: (groupId: string) => update(unfinished(groupId), { $set: { deletedAt: new Date() } }),

      listUnfinishedSince: (before: Date, limit: number) =>
        listIds({ deletedAt: NOT_YET, importingSince: { $lt: before } }, limit),

      /** Removes the document of a deleted group. */
      remove: (groupId: string) => remove({ _id: groupId }),
    };
  },
);

/** Queries across all groups, for instance admins. */
export const createAllGroupsRepository = defineRepository(groupCollection, ({ model: groups }) => ({
  /** Estimated from collection metadata, without reading the collection. */
  count: () => groups.estimatedDocumentCount(),

  /** Newest first. */
  listPage: (beforeId: string | undefined, limit: number) =>
    groups
      .find({ deletedAt: null, ...(beforeId === undefined ? {} : { _id: { $lt: beforeId } }) })
      .sort({ _id: -1 })
      .limit(limit)
      .lean(),
}));

/** What the package chat-import remembers about a group, for later exports. */
interface ImportedPlaceDocument {
  _id: string;
  groupId?: string;
}

const importedPlaceSchema = new Schema<ImportedPlaceDocument>(
  { _id: ID, groupId: ID },
  { collection: "importedPlaces" },
).index({ groupId: 1 });

/** Queries of the collection importedPlaces. */
export const createImportedPlaceRepository = defineRepository(
  { name: "ImportedPlace", schema: importedPlaceSchema },
  ({ removeSome }) => ({
    /** @returns how many were removed; fewer than `limit` if none are left */
    removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),
  }),
);
