import { defineRepository, nullIfDuplicate, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { RING_WINDOW_MS, RINGS_PER_WINDOW } from "./constants.ts";

/** The last ring of a user in a channel. */
interface RingDocument {
  _id: string;
  channelId: string;
  userId: string;
  callId: string;
  fromUserId: string;
  /** When it stops; absent: it has stopped. */
  dueAt?: Date;
  /** Times of the last rings, which limit their number. */
  recent: Date[];
  expiresAt: Date;
}

const schema = new Schema<RingDocument>(
  {
    channelId: REQUIRED_ID,
    userId: REQUIRED_ID,
    callId: REQUIRED_ID,
    fromUserId: REQUIRED_ID,
    dueAt: Date,
    recent: { type: [Date], required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: "callRings" },
)
  .index({ channelId: 1, userId: 1 }, { unique: true, name: "channel_user" })
  .index({ userId: 1, fromUserId: 1, expiresAt: -1 }, { name: "user_from" })
  .index({ callId: 1 }, { name: "call" })
  .index({ dueAt: 1 }, { sparse: true, name: "due" })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0, name: "expiry" });

export type Ring = Pick<RingDocument, "channelId" | "userId" | "callId" | "fromUserId">;
export type RingRepository = ReturnType<typeof createRingRepository>;

/** Queries of the collection callRings. */
export const createRingRepository = defineRepository(
  { name: "CallRing", schema, durable: false },
  ({ model: rings, change }) => {
    /** Whether this caller has rung the user too often, in whichever channels. */
    async function hasRungOften({ userId, fromUserId }: Ring, oldest: Date): Promise<boolean> {
      const some = await rings
        .find({ userId, fromUserId }, { recent: 1 })
        .sort({ expiresAt: -1 })
        .limit(RINGS_PER_WINDOW)
        .lean<Pick<RingDocument, "recent">[]>();
      return some.flatMap(({ recent }) => recent).filter((at) => at > oldest).length >= RINGS_PER_WINDOW;
    }

    return {
      /** @returns false if it rings already, or the user was rung too often */
      async start(ring: Ring, dueAt: Date, now: Date): Promise<boolean> {
        const { channelId, userId } = ring;
        const oldest = new Date(now.getTime() - RING_WINDOW_MS);
        const known = await rings.findOne({ channelId, userId }).lean<RingDocument | null>();
        if (known?.dueAt !== undefined && known.dueAt > now && known.callId === ring.callId) return false;
        const recent = (known?.recent ?? []).filter((at) => at > oldest);
        if (recent.length >= RINGS_PER_WINDOW || (await hasRungOften(ring, oldest))) return false;
        const expiresAt = new Date(dueAt.getTime() + RING_WINDOW_MS);
        // Of two at the same time, one finds that the other has changed the list, or violates the unique index.
        const unchanged = known === null ? { recent: { $exists: false } } : { recent: known.recent };
        const started = rings
          .updateOne(
            { channelId, userId, ...unchanged },
            { $set: { ...ring, dueAt, recent: [...recent, now], expiresAt } },
            { upsert: known === null },
          )
          .exec();
        const result = await nullIfDuplicate(started);
        return result !== null && result.matchedCount + result.upsertedCount === 1;
      },

      /** @returns null if the user isn't being rung there */
      stop: ({ channelId, userId }: Pick<Ring, "channelId" | "userId">): Promise<RingDocument | null> =>
        change({ channelId, userId, dueAt: { $exists: true } }, { $unset: { dueAt: 1 } }),

      /** @returns null if it has stopped or rings for another call */
      stopOne: ({ _id, callId }: RingDocument): Promise<RingDocument | null> =>
        change({ _id, callId, dueAt: { $exists: true } }, { $unset: { dueAt: 1 } }),

      listRinging: (callId: string, limit: number): Promise<RingDocument[]> =>
        rings
          .find({ callId, dueAt: { $exists: true } })
          .limit(limit)
          .lean(),
      listDue: (now: Date, limit: number): Promise<RingDocument[]> =>
        rings
          .find({ dueAt: { $lte: now } })
          .sort({ dueAt: 1 })
          .limit(limit)
          .lean(),
      async nextDueAt(): Promise<Date | null> {
        const next = await rings
          // With $exists, MongoDB would not use the index.
          .findOne({ dueAt: { $gt: new Date(0) } }, { dueAt: 1 })
          .sort({ dueAt: 1 })
          .lean();
        return next?.dueAt ?? null;
      },
    };
  },
);
