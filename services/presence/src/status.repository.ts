import { Schema, type Connection, type Model, type Types } from "mongoose";
import type { OwnStatus } from "./present.ts";

/** What a user wants others to see. Who has none, which is most, wants to be seen as online. */
interface StatusDocument {
  /** The user's. */
  _id: Types.ObjectId;
  status: "idle" | "doNotDisturb" | "invisible";
}

const schema = new Schema<StatusDocument>(
  {
    _id: Schema.Types.ObjectId,
    status: { type: String, enum: ["idle", "doNotDisturb", "invisible"], required: true },
  },
  { collection: "presenceStatuses", versionKey: false },
);

function statusModel(connection: Connection): Model<StatusDocument> {
  return connection.model<StatusDocument>("PresenceStatus", schema);
}

export type StatusRepository = ReturnType<typeof createStatusRepository>;

/** Every query of the collection presenceStatuses: all are by `_id`, the user's. */
export function createStatusRepository(connection: Connection) {
  const statuses = statusModel(connection);
  return {
    async set(userId: string, status: OwnStatus): Promise<void> {
      if (status === "online") await statuses.deleteOne({ _id: userId });
      else await statuses.updateOne({ _id: userId }, { $set: { status } }, { upsert: true });
    },

    /** Users who are not in it are online whenever they are connected. */
    async findMany(userIds: readonly string[]): Promise<Map<string, OwnStatus>> {
      const found = await statuses.find({ _id: { $in: userIds } }).lean();
      return new Map(found.map(({ _id, status }) => [_id.toHexString(), status]));
    },
  };
}
