import { LIMITS } from "@fanfare/contract";
import { chunks, createBatcher, defineRepository } from "@fanfare/kernel";
import { CROWD_MS } from "../database.ts";
import {
  viewKey,
  channelCollection,
  type ChannelDocument,
  type OverrideSubdocument,
} from "./channel.model.ts";

/** The overrides that decide who can see a channel, and its room. */
type SeenChannel = Pick<
  ChannelDocument,
  "_id" | "groupId" | "overrides" | "overridesRev" | "roomRev" | "viewKeys" | "movingSince"
>;
const SEEN = { groupId: 1, overrides: 1, overridesRev: 1, roomRev: 1, viewKeys: 1, movingSince: 1 } as const;
/** Bounds the size of one database result. */
const USERS_PER_LOOKUP = 50;
/** Bounds one database result to about 1 MB: this many groups with LIMITS.channelsPerGroup channels each. */
const GROUPS_PER_LOOKUP = 50;

/** Queries of the collection channels about the visibility of a group's channels. */
export const createOverrideRepository = defineRepository(
  channelCollection,
  ({ model: channels, native, fromNative, change, listIds }) => {
    const alive = { deletedAt: null };
    const findByKeys = createBatcher(
      async (_key, keysOfUsers: (readonly string[])[]) => {
        const viewKeys = { $in: [...new Set(keysOfUsers.flat())] };
        const found = native.find({ viewKeys, ...alive }, { projection: SEEN });
        return fromNative(await found.toArray());
      },
      { maxBatch: USERS_PER_LOOKUP, crowdMs: CROWD_MS },
    );
    return {
      /** Private channels with one of these view keys. Concurrent calls share a query when many users log in together. */
      async listByKeys(keys: readonly string[]): Promise<SeenChannel[]> {
        const own = new Set(keys);
        const found = await findByKeys("all", keys);
        return found.filter(({ viewKeys }) => viewKeys?.some((key) => own.has(key)));
      },

      /** @returns those of the groups that have a private channel */
      async listPrivateGroups(groupIds: readonly string[]): Promise<Set<string>> {
        const having = new Set<string>();
        for (const some of chunks(groupIds, GROUPS_PER_LOOKUP)) {
          const viewKeys = { $in: some.map(viewKey.owner) };
          const found = await channels.find({ viewKeys, ...alive }, { groupId: 1, _id: 0 }).lean();
          for (const { groupId } of found) having.add(groupId!);
        }
        return having;
      },

      /** Channels with an override for the role or member, with all their overrides. */
      listWith: (groupId: string, target: { type: "role" | "member"; id: string }) =>
        channels
          .find({ groupId, overrides: { $elemMatch: target }, ...alive }, SEEN)
          .limit(LIMITS.channelsPerGroup)
          .lean<SeenChannel[]>(),

      /** All private channels of a group. */
      listPrivate: (groupId: string) =>
        channels
          .find({ viewKeys: viewKey.owner(groupId), ...alive }, SEEN)
          .limit(LIMITS.channelsPerGroup)
          .lean<SeenChannel[]>(),

      /**
       * @param from the channel as the caller has read it
       * @param viewKeys undefined: all members of the group can see it, before and after
       * @returns null when the overrides have changed since, or the channel is deleted
       */
      change: (
        from: ChannelDocument,
        overrides: readonly OverrideSubdocument[],
        viewKeys: string[] | undefined,
      ) =>
        change(
          { _id: from._id, overridesRev: from.overridesRev ?? null, ...alive },
          {
            $set: { overrides, ...(viewKeys !== undefined && { viewKeys, movingSince: new Date() }) },
            $inc: { overridesRev: 1 },
          },
        ),

      /**
       * Call this when the sockets have been moved to the room of `rev`, or to the group's room for null.
       * @returns null when the overrides have changed since, or the channel is deleted
       */
      finishMove: (moved: ChannelDocument, rev: number | null) =>
        change(
          { _id: moved._id, overridesRev: moved.overridesRev, movingSince: { $gt: new Date(0) }, ...alive },
          rev === null
            ? { $unset: { movingSince: 1, roomRev: 1, viewKeys: 1 } }
            : { $set: { roomRev: rev }, $unset: { movingSince: 1 } },
        ),

      listMovingSince: (before: Date, limit: number) => listIds({ movingSince: { $lt: before } }, limit),
    };
  },
);
