import type { mongo } from "mongoose";
import { DURABLE } from "./durable.ts";
import type { Job } from "./migration.ts";

/** Documents that are read and written at a time: some milliseconds of work, so that little is repeated after a crash. */
const BATCH_DOCUMENTS = 1000;

/**
 * Goes through the documents of a collection that a filter finds, in the order of their ids, and stores what `change` makes of each
 * batch before it looks at the next.
 */
export async function inBatches(
  job: Job,
  name: string,
  filter: mongo.Filter<mongo.Document>,
  projection: Record<string, 1>,
  change: (documents: mongo.Document[]) => Promise<mongo.AnyBulkWriteOperation[]>,
): Promise<void> {
  const collection = job.db.collection(name);
  let after = job.resumeFrom as mongo.ObjectId | undefined;
  await job.expect(
    await collection.countDocuments({ ...filter, ...(after !== undefined && { _id: { $gt: after } }) }),
  );
  for (;;) {
    const documents = await collection
      .find({ ...filter, ...(after !== undefined && { _id: { $gt: after } }) }, { projection })
      .sort({ _id: 1 })
      .limit(BATCH_DOCUMENTS)
      .toArray();
    const last = documents.at(-1);
    if (last === undefined) return;
    const operations = await change(documents);
    if (operations.length > 0)
      await collection.bulkWrite(operations, { ordered: false, writeConcern: DURABLE });
    after = last._id;
    await job.reached(after, documents.length);
  }
}
