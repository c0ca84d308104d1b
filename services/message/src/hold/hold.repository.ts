import type { LegalHold } from "@fanfare/contract";
import { defineRepository, ID, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

interface HoldDocument {
  _id: string;
  userId: string;
  name: string;
  reason: string;
  startedBy: string;
  startedAt: Date;
  endedBy?: string;
  endedAt?: Date;
  /** Equals `userId` while the hold is active, so that the index only contains active holds. */
  heldUserId?: string;
}

const schema = new Schema<HoldDocument>(
  {
    userId: REQUIRED_ID,
    name: { type: String, required: true },
    reason: { type: String, required: true },
    startedBy: REQUIRED_ID,
    startedAt: { type: Date, required: true },
    endedBy: ID,
    endedAt: Date,
    heldUserId: ID,
  },
  { collection: "legalHolds" },
).index({ heldUserId: 1 }, { sparse: true, name: "held" });

/** The embedded database uses a sparse index for ranges, but not for `$exists`. */
const ANY_ID = { $gte: "0".repeat(24) };

export type HoldRepository = ReturnType<typeof createHoldRepository>;

/** Queries of the legal holds. */
export const createHoldRepository = defineRepository(
  { name: "LegalHold", schema },
  ({ model: holds, insert, change }) => ({
    insert,

    /** Newest first. */
    listPage: (beforeId: string | undefined, limit: number) =>
      holds
        .find(beforeId === undefined ? {} : { _id: { $lt: beforeId } })
        .sort({ _id: -1 })
        .limit(limit)
        .lean(),

    find: (holdId: string, userId: string) => holds.findOne({ _id: holdId, userId }).lean(),

    countActive: (max: number) => holds.countDocuments({ heldUserId: ANY_ID }, { limit: max }),

    /** Returns which of the users are under a hold. */
    async heldAmong(userIds: readonly string[]): Promise<Set<string>> {
      const found = await holds.find({ heldUserId: { $in: userIds } }, { heldUserId: 1 }).lean();
      return new Set(found.flatMap(({ heldUserId }) => heldUserId ?? []));
    },

    /** @returns null when it doesn't exist or has ended */
    end: (holdId: string, endedBy: string) =>
      change(
        { _id: holdId, heldUserId: { $exists: true } },
        { $set: { endedBy, endedAt: new Date() }, $unset: { heldUserId: 1 } },
      ),
  }),
);

export function presentHold(hold: HoldDocument): LegalHold {
  const { _id: id, userId, name, reason, startedBy, startedAt, endedBy = null, endedAt } = hold;
  return {
    id,
    userId,
    name,
    reason,
    startedBy,
    startedAt: startedAt.toISOString(),
    endedBy,
    endedAt: endedAt?.toISOString() ?? null,
  };
}
