import type { EventPayload } from "@fanfare/contract";
import { DURABLE, duplicateKeyIndex } from "@fanfare/kernel";
import { Schema, type Connection, type Model, type Types } from "mongoose";
import { COUNTER } from "./database.ts";

/** A member is being removed from a group. Kept until all processes know, so that another one can finish it. */
export interface DepartureDocument {
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  userId: Types.ObjectId;
  reason: EventPayload<"group.left">["reason"];
  begunAt: Date;
}

const departureSchema = new Schema<DepartureDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    reason: { type: String, required: true },
    begunAt: { type: Date, required: true },
  },
  { collection: "departures", writeConcern: DURABLE, versionKey: false },
);
departureSchema.index({ groupId: 1, userId: 1 }, { unique: true });
departureSchema.index({ begunAt: 1 });

function departureModel(connection: Connection): Model<DepartureDocument> {
  return connection.model<DepartureDocument>("Departure", departureSchema);
}

export type DepartureRepository = ReturnType<typeof createDepartureRepository>;

/** Every query of the collection departures. */
export function createDepartureRepository(connection: Connection) {
  const departures = departureModel(connection);
  return {
    async note(
      groupId: string,
      userId: string,
      reason: DepartureDocument["reason"],
    ): Promise<DepartureDocument> {
      const begunAt = new Date();
      const note = () =>
        departures
          .findOneAndUpdate(
            { groupId, userId },
            { $set: { reason, begunAt } },
            { upsert: true, returnDocument: "after" },
          )
          .lean()
          .orFail();
      return note().catch((error: unknown) => {
        // Another removal of the same member has just been noted.
        if (duplicateKeyIndex(error) === null) throw error;
        return note();
      });
    },

    find: (groupId: string, userId: string) => departures.findOne({ groupId, userId }).lean(),

    /** The longest waiting first. */
    listBegunBefore: (before: Date, limit: number) =>
      departures
        .find({ begunAt: { $lt: before } })
        .sort({ begunAt: 1 })
        .limit(limit)
        .lean(),

    /** Unless another one of the same user has begun since. */
    async remove({ _id, begunAt }: Pick<DepartureDocument, "_id" | "begunAt">): Promise<void> {
      await departures.deleteOne({ _id, begunAt }, { writeConcern: COUNTER });
    },
  };
}
