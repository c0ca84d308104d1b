import { DURABLE } from "../../repository.ts";
import { inBatches, type Migration } from "../migration.ts";

const PAST = new Date(0);

/** Callbacks of bots are jobs from now on. Their cursors stay as they are, and those that wait after a failure go on waiting. */
export const botCallbackJobs: Migration = {
  name: "0007-bot-callback-jobs",
  async run(job) {
    const jobs = job.db.collection("jobs");
    const filter = { "callback.nextAt": { $exists: true } };
    await inBatches(job, "bots", filter, { callback: 1 }, async (bots) => {
      const upserts = bots
        .filter(({ callback }) => callback.isDisabled === false)
        .map(({ _id, callback: { id, failures, nextAt } }) => ({
          updateOne: {
            filter: { kind: "bot.callback", key: `${_id}:${id}` },
            update: {
              $setOnInsert: {
                payload: { botId: String(_id), callbackId: id },
                dueAt: nextAt,
                heldUntil: failures > 0 ? nextAt : PAST,
                fence: 0,
                tries: failures,
                requests: 1,
                createdAt: new Date(),
              },
            },
            upsert: true,
          },
        }));
      if (upserts.length > 0) await jobs.bulkWrite(upserts, { ordered: false, writeConcern: DURABLE });
      // Programs of the version before, which run beside this one during an upgrade, deliver none of them any more.
      return bots.map(({ _id, callback: { id } }) => ({
        updateOne: {
          filter: { _id, "callback.id": id },
          update: { $unset: { dueAt: 1, "callback.nextAt": 1, "callback.leasedUntil": 1 } },
        },
      }));
    });
  },
};
