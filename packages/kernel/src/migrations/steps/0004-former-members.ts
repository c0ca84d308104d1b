import type { mongo } from "mongoose";
import { DURABLE } from "../../repository.ts";
import { inBatches, type Migration } from "../migration.ts";

/**
 * Records former members, so that exports of their data include their messages: all authors of messages in groups that they are
 * no longer a member of.
 */
export const formerMembers: Migration = {
  name: "0004-former-members",
  async run(job) {
    await job.db.collection("formerMembers").createIndex({ userId: 1, groupId: 1 }, { unique: true });
    const filter = { kind: { $in: ["text", "thread"] } };
    const fields = { groupId: 1, parentGroupId: 1 } as const;
    await inBatches(job, "channels", filter, fields, async (channels) => {
      for (const { _id, groupId, parentGroupId } of channels)
        await recordAuthors(job.db, _id, groupId ?? parentGroupId);
      return [];
    });
  },
};

async function recordAuthors(db: mongo.Db, channelId: unknown, groupId: unknown): Promise<void> {
  const authors: mongo.ObjectId[] = await db.collection("messages").distinct("authorId", { channelId });
  const members = await db.collection("members").distinct("userId", { groupId, userId: { $in: authors } });
  const here = new Set(members.map(String));
  const gone = authors.filter((author) => !here.has(String(author)));
  if (gone.length === 0) return;
  // Excludes bots, webhooks, imported authors and deleted users.
  const people = await db.collection("users").distinct("_id", {
    _id: { $in: gone },
    kind: { $in: ["member", "guest"] },
    importedIn: { $exists: false },
    deletedAt: { $exists: false },
  });
  if (people.length === 0) return;
  const operations = people.map((userId) => ({
    updateOne: { filter: { groupId, userId }, update: { $set: {} }, upsert: true },
  }));
  await db.collection("formerMembers").bulkWrite(operations, { ordered: false, writeConcern: DURABLE });
}
