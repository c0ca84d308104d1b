import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";
import type { OwnStatus } from "./presences.ts";

/** A user's own status. Most users have none, which means online. */
interface StatusDocument {
  /** The user id. */
  _id: string;
  status: "idle" | "doNotDisturb" | "invisible";
}

const schema = new Schema<StatusDocument>(
  {
    _id: REQUIRED_ID,
    status: { type: String, enum: ["idle", "doNotDisturb", "invisible"], required: true },
  },
  { collection: "presenceStatuses" },
);

export type StatusRepository = ReturnType<typeof createStatusRepository>;

/** Queries of the collection presenceStatuses, all by user id. */
export const createStatusRepository = defineRepository(
  { name: "PresenceStatus", schema, durable: false },
  ({ model: statuses }) => ({
    async set(userId: string, status: OwnStatus): Promise<void> {
      if (status === "online") await statuses.deleteOne({ _id: userId });
      else await statuses.updateOne({ _id: userId }, { $set: { status } }, { upsert: true });
    },

    /** Users without an entry appear online whenever they are connected. */
    async findMany(userIds: readonly string[]): Promise<Map<string, OwnStatus>> {
      const found = await statuses.find({ _id: { $in: userIds } }).lean();
      return new Map(found.map(({ _id, status }) => [_id, status]));
    },
  }),
);
