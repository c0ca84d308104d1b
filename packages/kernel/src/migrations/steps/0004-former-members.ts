import type { mongo } from "mongoose";
import { DURABLE } from "../../repository.ts";
import { inBatches, type Migration } from "../migration.ts";

/**
 * Who has left a group is noted, so that an export of their data finds what they wrote there. Of those who left before that was
 * done, the authors of messages are found in the channels of groups that they are no members of.
 */
export const formerMembers: Migration = {
  name: "0004-former-members",
  async run(job) {
    await job.db.collection("formerMembers").createIndex({ userId: 1, groupId: 1 }, { unique: true });
    const filter = { kind: { $in: ["text", "thread"] } };
    const fields = { groupId: 1, parentGroupId: 1 } as const;
    await inBatches(job, "channels", filter, fields, async (channels) => {
      for (const { _id, groupId, parentGroupId } of channels)
        await noteAuthors(job.db, _id, groupId ?? parentGroupId);
      return [];
    });
  },
};

async function noteAuthors(db: mongo.Db, channelId: unknown, groupId: unknown): Promise<void> {
  const authors: mongo.ObjectId[] = await db.collection("messages").distinct("authorId", { channelId });
  const members = await db.collection("members").distinct("userId", { groupId, userId: { $in: authors } });
  const here = new Set(members.map(String));
  const gone = authors.filter((author) => !here.has(String(author)));
  if (gone.length === 0) return;
  // Neither bots and webhooks, nor whom an import has named, nor who is deleted.
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
