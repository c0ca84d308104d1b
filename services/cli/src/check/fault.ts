import type { mongo } from "mongoose";

/** Something that does not fit together. */
export interface Fault {
  what: string;
  /** Absent where a person has to decide what is right. */
  repair?: () => Promise<unknown>;
}

export type Check = (db: mongo.Db) => AsyncGenerator<Fault>;

/** Ids of a collection; of documents that `filter` finds. */
export async function idsOf(
  db: mongo.Db,
  collection: string,
  filter: mongo.Filter<mongo.Document> = {},
): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { _id } of db.collection(collection).find(filter, { projection: { _id: 1 } }))
    ids.add(String(_id));
  return ids;
}
