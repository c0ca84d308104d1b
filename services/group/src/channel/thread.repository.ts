import { defineRepository, nullIfDuplicate } from "@fanfare/kernel";
import { activeBefore, type ActivityCursor } from "../activity.ts";
import { channelCollection, type ChannelDocument } from "./channel.model.ts";

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
