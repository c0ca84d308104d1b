import { duplicateKeyIndex } from "@fanfare/kernel";
import type { Connection } from "mongoose";
import { departureModel, type DepartureDocument } from "./departure.model.ts";
import { COUNTER } from "./durable.ts";

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
