import { DURABLE } from "../../repository.ts";
import { inBatches, type Migration } from "../migration.ts";

/** Marks the heads of threads, so that searches find the changed ones; at first, each is one of them. */
export const changedThreads: Migration = {
  name: "0012-changed-threads",
  async run(job) {
    const fields = { parentGroupId: 1 } as const;
    const heads = job.db.collection("channelHeads");
    await inBatches(job, "channels", { kind: "thread" }, fields, async (threads) => {
      const changedAt = new Date();
      const marks = threads.map(({ _id, parentGroupId: threadOf }) => ({
        updateOne: {
          filter: { _id, threadOf: { $exists: false } },
          update: { $set: { threadOf: threadOf as unknown }, $max: { changedAt } },
        },
      }));
      await heads.bulkWrite(marks, { ordered: false, writeConcern: DURABLE });
      return [];
    });
  },
};
