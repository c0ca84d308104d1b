import { defineRepository, ID, newId, REQUIRED_ID, unlessDuplicate } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** Two users who are friends, or of whom one has asked: one document, so that they never disagree. */
export interface FriendshipDocument {
  _id: string;
  /** The sorted ids of the two, joined, so that one string is unique. */
  pair: string;
  userIds: string[];
  state: "requested" | "friends";
  /** Who asked first. */
  requestedBy: string;
  /** When it came into this state. */
  since: Date;
}

const schema = new Schema<FriendshipDocument>(
  {
    pair: { type: String, required: true },
    userIds: { type: [ID], required: true },
    state: { type: String, enum: ["requested", "friends"], required: true },
    requestedBy: REQUIRED_ID,
    since: { type: Date, required: true },
  },
  { collection: "friendships" },
);
schema.index({ pair: 1 }, { unique: true });
schema.index({ userIds: 1, state: 1, _id: -1 });

/** The same string for two users, whichever of them asks. */
function pairOf(userId: string, otherUserId: string): string {
  return [userId, otherUserId].sort().join(":");
}

export type FriendshipRepository = ReturnType<typeof createFriendshipRepository>;
export type FriendshipState = FriendshipDocument["state"];

/** Every query of the collection friendships. */
export const createFriendshipRepository = defineRepository(
  { name: "Friendship", schema },
  ({ model: friendships, insert, change }) => ({
    find: (userId: string, otherId: string) => friendships.findOne({ pair: pairOf(userId, otherId) }).lean(),

    /** null when there is something between the two already. */
    request: (userId: string, otherId: string) =>
      unlessDuplicate(
        insert({
          _id: newId(),
          pair: pairOf(userId, otherId),
          userIds: [userId, otherId],
          state: "requested",
          requestedBy: userId,
          since: new Date(),
        }),
      ),

    /** null when `otherId` has not asked, or has taken it back. */
    accept: (userId: string, otherId: string) =>
      change(
        { pair: pairOf(userId, otherId), state: "requested", requestedBy: otherId },
        { $set: { state: "friends", since: new Date() } },
      ),

    /** What was between the two, or null: a request of `requestedBy`, or whatever there is where that is not given. */
    remove: (userId: string, otherId: string, requestedBy?: string) =>
      friendships
        .findOneAndDelete({
          pair: pairOf(userId, otherId),
          ...(requestedBy === undefined ? {} : { state: "requested", requestedBy }),
        })
        .lean(),

    /** Newest first, older than `beforeId` where that is given. */
    list: (userId: string, state: FriendshipState, beforeId: string | undefined, limit: number) =>
      friendships
        .find({ userIds: userId, state, ...(beforeId === undefined ? {} : { _id: { $lt: beforeId } }) })
        .sort({ _id: -1 })
        .limit(limit)
        .lean(),

    /** Reads `max` entries at most. */
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
