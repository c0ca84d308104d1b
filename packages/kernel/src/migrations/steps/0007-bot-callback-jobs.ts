import { DURABLE } from "../../repository.ts";
import { inBatches, type Migration } from "../migration.ts";

const PAST = new Date(0);

/** Converts pending bot callbacks to jobs. Cursors and backoff times are preserved. */
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
      // So that processes of the previous version no longer deliver them during a rolling upgrade.
      return bots.map(({ _id, callback: { id } }) => ({
        updateOne: {
          filter: { _id, "callback.id": id },
          update: { $unset: { dueAt: 1, "callback.nextAt": 1, "callback.leasedUntil": 1 } },
        },
      }));
    });
  },
};
