import { DURABLE } from "../../repository.ts";
import { inBatches, type Migration } from "../migration.ts";

/** Converts pending channel removals to jobs. */
export const channelRemovalJobs: Migration = {
  name: "0006-channel-removal-jobs",
  async run(job) {
    const jobs = job.db.collection("jobs");
    await inBatches(job, "channelRemovals", {}, { requestedAt: 1 }, async (removals) => {
      const now = new Date();
      const fresh = { dueAt: now, heldUntil: new Date(0), fence: 0, tries: 0, requests: 1, createdAt: now };
      const upserts = removals.map(({ _id, requestedAt }) => ({
        updateOne: {
          filter: { kind: "message.removeChannel", key: String(_id) },
          update: { $setOnInsert: { ...fresh, payload: { requestedAt } } },
          upsert: true,
        },
      }));
      await jobs.bulkWrite(upserts, { ordered: false, writeConcern: DURABLE });
      return removals.map(({ _id }) => ({ deleteOne: { filter: { _id } } }));
    });
  },
};
