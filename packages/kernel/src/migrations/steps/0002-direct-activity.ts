import { inBatches, type Migration } from "../migration.ts";

/** Adds `lastActivityAt` to direct channels, by which they are listed. */
export const directActivity: Migration = {
  name: "0002-direct-activity",
  async run(job) {
    const messages = job.db.collection("messages");
    const absent = { $exists: false };
    const filter = { kind: "direct", lastActivityAt: absent };
    await inBatches(job, "channels", filter, { createdAt: 1 }, (channels) =>
      Promise.all(
        channels.map(async ({ _id, createdAt }) => {
          const newest = await messages.findOne(
            { channelId: _id },
            { sort: { seq: -1 }, projection: { createdAt: 1 } },
          );
          const lastActivityAt: unknown = newest?.["createdAt"] ?? createdAt;
          return {
            updateOne: { filter: { _id, lastActivityAt: absent }, update: { $set: { lastActivityAt } } },
          };
        }),
      ),
    );
  },
};
