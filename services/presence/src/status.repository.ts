import type { Connection } from "mongoose";
import type { OwnStatus } from "./present.ts";
import { statusModel } from "./status.model.ts";

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
