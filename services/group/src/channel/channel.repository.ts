import { LIMITS } from "@fanfare/contract";
import { createBatcher, defineRepository, nullIfDuplicate } from "@fanfare/kernel";
import { Types } from "mongoose";
import { activeBefore, type ActivityCursor } from "../activity.ts";
import { channelCollection, type ChannelDocument } from "./channel.model.ts";

type ChannelChanges = Partial<
  Pick<ChannelDocument, "name" | "topic" | "slowModeSeconds" | "position"> & { sectionId: string | null }
>;
interface ChannelPlace {
  channelId: string;
  sectionId: string | null;
  position: number;
}

/** Queries of the collection channels. Only `findAny` and `listDeleted` return deleted channels. */
export const createChannelRepository = defineRepository(
  channelCollection,
  ({
    model: channels,
    native,
    fromNative,
    insert,
    insertMany,
    updateMany,
    update,
    removeAll,
    listIds,
    change,
  }) => {
    const alive = { deletedAt: null };
    const listOfGroup = createBatcher((groupId, _calls: undefined[]) =>
      channels
        .find({ groupId, ...alive })
        .sort({ position: 1, _id: 1 })
        .limit(LIMITS.channelsPerGroup)
        .lean()
        .exec(),
    );
    const findByIds = createBatcher(async (_all, channelIds: string[]) => {
      const found = await channels.find({ _id: { $in: channelIds }, ...alive }).lean();
      return new Map(found.map((channel) => [channel._id, channel]));
    });
    return {
      insert,
      insertMany,

      /** All channels of the instance, sorted by id. */
      listPage: (afterChannelId: string | undefined, limit: number) =>
        channels
          .find({ ...(afterChannelId !== undefined && { _id: { $gt: afterChannelId } }), ...alive })
          .sort({ _id: 1 })
          .select({ kind: 1, groupId: 1, parentGroupId: 1 })
          .limit(limit)
          .lean(),

      find: async (channelId: string) => (await findByIds("", channelId)).get(channelId) ?? null,

      /** Unordered. */
      findManyOf: (groupId: string, channelIds: readonly string[]) =>
        channels.find({ _id: { $in: channelIds }, groupId, ...alive }).lean(),

      /** Includes deleted channels. */
      findAny: (channelIds: readonly string[]) => channels.find({ _id: { $in: channelIds } }).lean(),

      /** Sorted by position. */
      listOfGroup: (groupId: string) => listOfGroup(groupId, undefined),

      /** Unordered; without sections. */
      async listSeen(
        groupIds: readonly string[],
      ): Promise<Pick<ChannelDocument, "_id" | "groupId" | "kind" | "overrides">[]> {
        const found = native.find(
          { groupId: { $in: groupIds.map((id) => new Types.ObjectId(id)) }, ...alive },
          {
            projection: { groupId: 1, kind: 1, overrides: 1 },
            limit: groupIds.length * LIMITS.channelsPerGroup,
            // One page; larger groups need further batches.
            batchSize: LIMITS.channelsPerUnreadPage,
          },
        );
        return fromNative(await found.toArray());
      },

      update: (channelId: string, changes: ChannelChanges) =>
        change({ _id: channelId, ...alive }, { $set: changes }),

      async setPlaces(groupId: string, places: readonly ChannelPlace[]): Promise<void> {
        await updateMany(
          places.map(({ channelId, sectionId, position }) => ({
            filter: { _id: channelId, groupId },
            update: { $set: { sectionId, position } },
          })),
        );
      },

      /** @returns false when it is already deleted */
      markDeleted: (channelId: string) =>
        update({ _id: channelId, ...alive }, { $set: { deletedAt: new Date() } }),

      listDeleted: (limit: number) =>
        channels
          .find(
            { deletedAt: { $gt: new Date(0) } },
            { groupId: 1, parentId: 1, parentGroupId: 1, roomRev: 1, memberIds: 1 },
          )
          .limit(limit)
          .lean(),

      /** Includes deleted channels. */
      listIdsOfGroup: (groupId: string, limit: number) => listIds({ groupId }, limit),

      remove: (channelIds: readonly string[]) => removeAll({ _id: { $in: channelIds } }),
    };
  },
);

export type ThreadDocument = ChannelDocument & Required<Pick<ChannelDocument, "parentId" | "parentGroupId">>;
type ThreadState = NonNullable<ChannelDocument["threadState"]>;

function byActivity(a: ThreadDocument, b: ThreadDocument): number {
  return a.lastActivityAt!.getTime() - b.lastActivityAt!.getTime() || (a._id < b._id ? -1 : 1);
}

/** Queries of the collection channels about threads. */
export const createThreadRepository = defineRepository(
  channelCollection,
  ({ model: channels, insert, update, listIds, change }) => {
    const alive = { deletedAt: null };
    return {
      findByRoot: (rootMessageId: string) => channels.findOne({ rootMessageId, ...alive }).lean(),

      /** @returns false when the message already has a thread */
      insert: async (thread: ThreadDocument): Promise<boolean> =>
        (await nullIfDuplicate(insert(thread))) !== null,

      /** Most recently active first. */
      list: (parentId: string, threadState: ThreadState, before: ActivityCursor | undefined, limit: number) =>
        channels
          .find({ parentId, threadState, ...(before === undefined ? {} : activeBefore(before)), ...alive })
          .sort({ parentId: 1, threadState: 1, lastActivityAt: -1, _id: -1 })
          .limit(limit)
          .lean(),

      findMany: (channelIds: readonly string[]) =>
        channels.find({ _id: { $in: channelIds }, kind: "thread", ...alive }).lean(),

      /** Those of a few threads that still exist, most recently active first. */
      async listGiven(
        channelIds: readonly string[],
        before: ActivityCursor | undefined,
      ): Promise<ThreadDocument[]> {
        const given = { _id: { $in: channelIds }, kind: "thread" as const, ...alive };
        const found = channels.find({ ...given, ...(before === undefined ? {} : activeBefore(before)) });
        return (await found.lean<ThreadDocument[]>()).sort((a, b) => byActivity(b, a));
      },

      /** Reads at most `max` entries. */
      countOpen: (parentId: string, max: number) =>
        channels.countDocuments({ parentId, threadState: "open" }, { limit: max }),

      /** @returns null when it doesn't exist or already has this state */
      setState: (channelId: string, threadState: ThreadState) =>
        change(
          { _id: channelId, threadState: threadState === "open" ? "archived" : "open", ...alive },
          threadState === "open"
            ? { $set: { threadState }, $unset: { archivedAt: 1 } }
            : { $set: { threadState, archivedAt: new Date() } },
        ),

      /** Lets the message have another thread. */
      markDeleted: (channelId: string) =>
        update(
          { _id: channelId, ...alive },
          { $set: { deletedAt: new Date() }, $unset: { rootMessageId: 1 } },
        ),

      /** Sorted by id. */
      listPageOf: (parentId: string, afterId: string | null, limit: number) =>
        channels
          .find({ parentId, ...(afterId !== null && { _id: { $gt: afterId } }), ...alive })
          .sort({ parentId: 1, _id: 1 })
          .limit(limit)
          .lean(),

      /** Includes deleted threads. */
      listIdsOf: (parentIds: readonly string[], limit: number) =>
        listIds({ parentId: { $in: parentIds } }, limit),
    };
  },
);
