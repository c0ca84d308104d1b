import type { EventPayload } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
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

const schema = new Schema<DepartureDocument>(
  {
    groupId: REQUIRED_ID,
    userId: REQUIRED_ID,
    reason: { type: String, required: true },
    begunAt: { type: Date, required: true },
  },
  { collection: "departures" },
);
schema.index({ groupId: 1, userId: 1 }, { unique: true });
schema.index({ begunAt: 1 });

/** Queries of the collection departures. */
export const createDepartureRepository = defineRepository(
  { name: "Departure", schema },
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
