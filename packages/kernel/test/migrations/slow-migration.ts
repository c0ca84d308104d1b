import { setTimeout as delay } from "node:timers/promises";
import { inBatches, type Migration } from "../../src/migrations/migration.ts";

/**
 * Takes about 100 ms per thousand documents, and counts in each document how often it was processed.
 * @param batches after so many, it waits forever
 */
export const slowMigration = (batches = Infinity): Migration => ({
  name: "0001-slow",
  run: (job) => {
    let done = 0;
    return inBatches(job, "things", { visits: { $exists: false } }, { _id: 1 }, async (documents) => {
      await delay(100);
      while ((done += 1) > batches) await delay(1000);
      return documents.map(({ _id }) => ({
        updateOne: { filter: { _id, visits: { $exists: false } }, update: { $inc: { visits: 1 } } },
      }));
    });
  },
});
