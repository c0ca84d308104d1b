import type { Connection } from "mongoose";
import { groupModel } from "./group.repository.ts";

export type AllGroupsRepository = ReturnType<typeof createAllGroupsRepository>;

/** The queries of the collection groups that are about all of them: for those who run the instance. */
export function createAllGroupsRepository(connection: Connection) {
  const groups = groupModel(connection);
  return {
    /** From what the database knows of the collection, without reading it. */
    count: () => groups.estimatedDocumentCount(),

    /** Newest first. */
    listPage: (beforeId: string | undefined, limit: number) =>
      groups
        .find({ deletedAt: null, ...(beforeId === undefined ? {} : { _id: { $lt: beforeId } }) })
        .sort({ _id: -1 })
        .limit(limit)
        .lean(),
  };
}
