import { setTimeout as delay } from "node:timers/promises";
import { inBatches, type Migration } from "../../src/migrations/migration.ts";

/** Takes about 100 ms per thousand documents, and counts in each document how often it was processed. */
export const slowMigration: Migration = {
  name: "0001-slow",
  run: (job) =>
    inBatches(job, "things", { visits: { $exists: false } }, { _id: 1 }, async (documents) => {
      await delay(100);
      return documents.map(({ _id }) => ({
        updateOne: { filter: { _id, visits: { $exists: false } }, update: { $inc: { visits: 1 } } },
      }));
    }),
};
