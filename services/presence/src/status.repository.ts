import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";
import type { OwnStatus } from "./presences.ts";

/** What a user wants others to see. Who has none, which is most, wants to be seen as online. */
interface StatusDocument {
  /** The user's. */
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

/** Every query of the collection presenceStatuses: all are by `_id`, the user's. */
export const createStatusRepository = defineRepository(
  { name: "PresenceStatus", schema, durable: false },
  ({ model: statuses }) => ({
    async set(userId: string, status: OwnStatus): Promise<void> {
      if (status === "online") await statuses.deleteOne({ _id: userId });
      else await statuses.updateOne({ _id: userId }, { $set: { status } }, { upsert: true });
    },

    /** Users who are not in it are online whenever they are connected. */
    async findMany(userIds: readonly string[]): Promise<Map<string, OwnStatus>> {
      const found = await statuses.find({ _id: { $in: userIds } }).lean();
      return new Map(found.map(({ _id, status }) => [_id, status]));
    },
  }),
);
