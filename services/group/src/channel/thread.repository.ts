import { defineRepository, unlessDuplicate } from "@fanfare/kernel";
import { activeAfter, activeBefore, type ActivityCursor } from "../activity.ts";
import { channelCollection, type ChannelDocument } from "./channel.model.ts";

export type ThreadDocument = ChannelDocument & Required<Pick<ChannelDocument, "parentId" | "parentGroupId">>;
type ThreadState = NonNullable<ChannelDocument["threadState"]>;

/** The threads of a group behind one of them. */
interface ActiveSince {
  groupId: string;
  after: ActivityCursor;
}

const activeIn = ({ groupId, after }: ActiveSince) => ({
  parentGroupId: groupId,
  ...activeAfter(after),
  deletedAt: null,
});

function byActivity(a: ThreadDocument, b: ThreadDocument): number {
  return a.lastActivityAt!.getTime() - b.lastActivityAt!.getTime() || (a._id < b._id ? -1 : 1);
}

/** Every query of the collection channels that is about threads. */
export const createThreadRepository = defineRepository(
  channelCollection,
  ({ model: channels, insert, update, listIds, change }) => {
    const alive = { deletedAt: null };
    return {
      findByRoot: (rootMessageId: string) => channels.findOne({ rootMessageId, ...alive }).lean(),

      /** false when the message has a thread already. */
      insert: async (thread: ThreadDocument): Promise<boolean> =>
        (await unlessDuplicate(insert(thread))) !== null,

      /** Those in which something was written last first. */
      list: (parentId: string, threadState: ThreadState, before: ActivityCursor | undefined, limit: number) =>
        channels
          .find({ parentId, threadState, ...(before === undefined ? {} : activeBefore(before)), ...alive })
          .sort({ parentId: 1, threadState: 1, lastActivityAt: -1, _id: -1 })
          .limit(limit)
          .lean(),

      findMany: (channelIds: readonly string[]) =>
        channels.find({ _id: { $in: channelIds }, kind: "thread", ...alive }).lean(),

      /** Those in which something was written last come last. */
      async listActive(groups: readonly ActiveSince[], limit: number): Promise<ThreadDocument[]> {
        if (groups.length > 1) {
          // In no order, so that the database need not sort: there are few behind all the cursors, as a rule.
          const few = channels.find({ $or: groups.map(activeIn) }).limit(limit);
          const found = await few.lean<ThreadDocument[]>();
          if (found.length < limit) return found.sort(byActivity);
        }
        const ofEach: ThreadDocument[] = [];
        for (const group of groups) {
          const first = channels.find(activeIn(group)).sort({ parentGroupId: 1, lastActivityAt: 1, _id: 1 });
          ofEach.push(...(await first.limit(limit).lean<ThreadDocument[]>()));
        }
        return ofEach.sort(byActivity).slice(0, limit);
      },

      /** Reads `max` entries at most. */
      countOpen: (parentId: string, max: number) =>
        channels.countDocuments({ parentId, threadState: "open" }, { limit: max }),

      /** null when there is none in the other state. */
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

      /** In the order of their ids. */
      listPageOf: (parentId: string, afterId: string | null, limit: number) =>
        channels
          .find({ parentId, ...(afterId !== null && { _id: { $gt: afterId } }), ...alive })
          .sort({ parentId: 1, _id: 1 })
          .limit(limit)
          .lean(),

      /** Deleted ones too. */
      listIdsOf: (parentIds: readonly string[], limit: number) =>
        listIds({ parentId: { $in: parentIds } }, limit),
    };
  },
);
