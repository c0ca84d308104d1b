import { setTimeout as delay } from "node:timers/promises";
import { inBatches, type Migration } from "../../src/migrations/migration.ts";

/** Takes about a tenth of a second for each thousand documents. It counts in each how often it came by. */
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
