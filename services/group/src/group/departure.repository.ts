import type { EventPayload } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID, createBatcher } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { COUNTER } from "../database.ts";

/** A removal in progress. Stored until all processes are notified, so that another process can complete it. */
export interface DepartureDocument {
  _id: string;
  groupId: string;
  userId: string;
  reason: EventPayload<"group.left">["reason"];
  begunAt: Date;
}

const departureSchema = new Schema<DepartureDocument>(
  {
    groupId: REQUIRED_ID,
    userId: REQUIRED_ID,
    reason: { type: String, required: true },
    begunAt: { type: Date, required: true },
  },
  { collection: "departures" },
);
departureSchema.index({ groupId: 1, userId: 1 }, { unique: true });
departureSchema.index({ begunAt: 1 });

/** Queries of the collection departures. */
export const createDepartureRepository = defineRepository(
  { name: "Departure", schema: departureSchema },
  ({ model: departures }) => ({
    async note(
      groupId: string,
      userId: string,
      reason: DepartureDocument["reason"],
    ): Promise<DepartureDocument> {
      const change = { $set: { reason, begunAt: new Date() } };
      const options = { upsert: true, returnDocument: "after" } as const;
      return departures.findOneAndUpdate({ groupId, userId }, change, options).lean();
    },

    find: (groupId: string, userId: string) => departures.findOne({ groupId, userId }).lean(),

    /** Oldest first. */
    listBegunBefore: (before: Date, limit: number) =>
      departures
        .find({ begunAt: { $lt: before } })
        .sort({ begunAt: 1 })
        .limit(limit)
        .lean(),

    /** Does nothing when a newer departure of the same user has started. */
    async remove({ _id, begunAt }: Pick<DepartureDocument, "_id" | "begunAt">): Promise<void> {
      await departures.deleteOne({ _id, begunAt }, { writeConcern: COUNTER });
    },
  }),
);

/** A user who was in a group, so its channels may contain their messages. They can be a member again. */
export interface FormerMemberDocument {
  _id: string;
  /** A group or a group DM. */
  groupId: string;
  userId: string;
  /** Joins requested before this time are rejected. Absent in old documents. */
  leftAt?: Date;
  /** When the membership that ended had begun. Absent in old documents and for group DMs. */
  joinedAt?: Date;
  /** Absent in old documents and for group DMs. */
  reason?: LeaveReason;
}

type LeaveReason = EventPayload<"group.left">["reason"];

const formerMemberSchema = new Schema<FormerMemberDocument>(
  { groupId: REQUIRED_ID, userId: REQUIRED_ID, leftAt: { type: Date }, joinedAt: Date, reason: String },
  { collection: "formerMembers" },
);
formerMemberSchema.index({ userId: 1, groupId: 1 }, { unique: true });
formerMemberSchema.index({ groupId: 1, leftAt: -1 });

/** Queries of the collection formerMembers. */
export const createFormerMemberRepository = defineRepository(
  { name: "FormerMember", schema: formerMemberSchema },
  ({ model: formers, removeSome }) => {
    /** Concurrent joins share one read. */
    const leftAmong = createBatcher(async (groupId, userIds: string[]) => {
      const found = await formers
        .find({ groupId, userId: { $in: userIds } }, { userId: 1, leftAt: 1, reason: 1 })
        .lean();
      return new Map(found.map((former) => [former.userId, former]));
    });
    return {
      async note(
        groupId: string,
        userId: string,
        ended?: Required<Pick<FormerMemberDocument, "joinedAt" | "reason">>,
      ): Promise<void> {
        const change = { $max: { leftAt: new Date() }, ...(ended !== undefined && { $set: ended }) };
        await formers.updateOne({ groupId, userId }, change, { upsert: true });
      },

      /** Those who left last. */
      listLatest: (groupId: string, limit: number): Promise<FormerMemberDocument[]> =>
        formers.find({ groupId }).sort({ groupId: 1, leftAt: -1 }).limit(limit).lean(),

      findMany: (groupId: string, userIds: readonly string[]): Promise<FormerMemberDocument[]> =>
        formers.find({ userId: { $in: userIds }, groupId }).lean(),

      has: async (groupId: string, userId: string): Promise<boolean> =>
        (await leftAmong(groupId, userId)).has(userId),

      /**
       * Whether the user left the group or was removed from it after `atMs` (milliseconds since the epoch).
       * @param reason counts only departures for this reason
       */
      async hasLeftSince(
        groupId: string,
        userId: string,
        atMs: number,
        reason?: LeaveReason,
      ): Promise<boolean> {
        const former = (await leftAmong(groupId, userId)).get(userId);
        if (reason !== undefined && former?.reason !== reason) return false;
        return former?.leftAt !== undefined && former.leftAt.getTime() > atMs;
      },

      /** Groups and direct channels that the user was in, sorted by id. */
      async listGroupIds(userId: string, afterGroupId: string | null, limit: number): Promise<string[]> {
        const found = await formers
          .find({ userId, ...(afterGroupId !== null && { groupId: { $gt: afterGroupId } }) }, { groupId: 1 })
          .sort({ userId: 1, groupId: 1 })
          .limit(limit)
          .lean();
        return found.map(({ groupId }) => groupId);
      },

      /** @returns the number of removed entries: fewer than `limit` when none are left */
      removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),

      /** The same for one user. */
      removeSomeOf: (userId: string, limit: number) => removeSome({ userId }, limit),
    };
  },
);
