import { defineRepository } from "@fanfare/kernel";
import { groupCollection } from "./group.repository.ts";

/** The queries of the collection groups that are about all of them: for those who run the instance. */
export const createAllGroupsRepository = defineRepository(groupCollection, ({ model: groups }) => ({
  /** From what the database knows of the collection, without reading it. */
  count: () => groups.estimatedDocumentCount(),

  /** Newest first. */
  listPage: (beforeId: string | undefined, limit: number) =>
    groups
      .find({ deletedAt: null, ...(beforeId === undefined ? {} : { _id: { $lt: beforeId } }) })
      .sort({ _id: -1 })
      .limit(limit)
      .lean(),
}));
