import { defineRepository, ID, newId, REQUIRED_ID, nullIfDuplicate } from "@fanfare/kernel";
import { Schema } from "mongoose";
import type { Reach } from "@fanfare/contract";

/** A friendship or a pending request: one document per pair, so that both sides are always consistent. */
export interface FriendshipDocument {
  _id: string;
  /** The sorted user ids, joined for a unique index. */
  pair: string;
  userIds: string[];
  state: "requested" | "friends";
  /** The user who sent the request. */
  requestedBy: string;
  /** Time of the last state change. */
  since: Date;
}

const friendshipSchema = new Schema<FriendshipDocument>(
  {
    pair: { type: String, required: true },
    userIds: { type: [ID], required: true },
    state: { type: String, enum: ["requested", "friends"], required: true },
    requestedBy: REQUIRED_ID,
    since: { type: Date, required: true },
  },
  { collection: "friendships" },
);
friendshipSchema.index({ pair: 1 }, { unique: true });
friendshipSchema.index({ userIds: 1, state: 1, _id: -1 });

/** The same for both users, regardless of order. */
function pairOf(userId: string, otherUserId: string): string {
  return [userId, otherUserId].sort().join(":");
}

export type FriendshipState = FriendshipDocument["state"];

/** Queries of the collection friendships. */
export const createFriendshipRepository = defineRepository(
  { name: "Friendship", schema: friendshipSchema },
  ({ model: friendships, insert, change }) => ({
    find: (userId: string, otherId: string) => friendships.findOne({ pair: pairOf(userId, otherId) }).lean(),

    /** @returns null when a friendship or request exists */
    request: (userId: string, otherId: string) =>
      nullIfDuplicate(
        insert({
          _id: newId(),
          pair: pairOf(userId, otherId),
          userIds: [userId, otherId],
          state: "requested",
          requestedBy: userId,
          since: new Date(),
        }),
      ),

    /** @returns null when `otherId` has no pending request */
    accept: (userId: string, otherId: string) =>
      change(
        { pair: pairOf(userId, otherId), state: "requested", requestedBy: otherId },
        { $set: { state: "friends", since: new Date() } },
      ),

    /** @returns the removed friendship or request, or null. With `requestedBy`, only a request by that user is removed. */
    remove: (userId: string, otherId: string, requestedBy?: string) =>
      friendships
        .findOneAndDelete({
          pair: pairOf(userId, otherId),
          ...(requestedBy === undefined ? {} : { state: "requested", requestedBy }),
        })
        .lean(),

    /** Newest first, older than `beforeId` if given. */
    list: (userId: string, state: FriendshipState, beforeId: string | undefined, limit: number) =>
      friendships
        .find({ userIds: userId, state, ...(beforeId === undefined ? {} : { _id: { $lt: beforeId } }) })
        .sort({ _id: -1 })
        .limit(limit)
        .lean(),

    /** Reads at most `max` entries. */
    count: (userId: string, state: FriendshipState, max: number) =>
      friendships.countDocuments({ userIds: userId, state }, { limit: max }),

    async friendsAmong(userId: string, otherIds: readonly string[]): Promise<Set<string>> {
      const pairs = new Map(otherIds.map((otherId) => [pairOf(userId, otherId), otherId]));
      const found = await friendships
        .find({ pair: { $in: [...pairs.keys()] }, state: "friends" }, { pair: 1 })
        .lean();
      return new Set(found.map(({ pair }) => pairs.get(pair)!));
    },
  }),
);

/** Who can reach a user. Without a document, everyone can. */
interface ReachDocument extends Reach {
  /** The user id. */
  _id: string;
}

const reachSchema = new Schema<ReachDocument>(
  { _id: REQUIRED_ID, requestsFrom: String, directFrom: String },
  { collection: "reaches" },
);

const OPEN: Reach = { requestsFrom: "everyone", directFrom: "everyone" };

/** Queries of the collection reaches, all by user id. */
export const createReachRepository = defineRepository(
  { name: "Reach", schema: reachSchema },
  ({ model: reaches, remove }) => {
    const toReach = (stored: Partial<ReachDocument> | null | undefined): Reach => ({
      requestsFrom: stored?.requestsFrom ?? OPEN.requestsFrom,
      directFrom: stored?.directFrom ?? OPEN.directFrom,
    });
    return {
      async set(userId: string, changes: Partial<Reach>): Promise<Reach> {
        const change = { $set: changes };
        const options = { upsert: true, returnDocument: "after" } as const;
        return toReach(await reaches.findOneAndUpdate({ _id: userId }, change, options).lean());
      },

      remove: (userId: string) => remove({ _id: userId }),

      async findMany(userIds: readonly string[]): Promise<Map<string, Reach>> {
        const found = await reaches.find({ _id: { $in: userIds } }).lean();
        const byId = new Map(found.map((stored) => [stored._id, stored]));
        return new Map(userIds.map((userId) => [userId, toReach(byId.get(userId))]));
      },
    };
  },
);
