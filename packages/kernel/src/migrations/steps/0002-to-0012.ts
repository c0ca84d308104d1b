import type { mongo } from "mongoose";
import { PERMISSIONS, CALL_PERMISSIONS } from "@fanfare/contract";
import { inBatches, type Migration } from "../migration.ts";
import { DURABLE } from "../../repository.ts";

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

/** Adds the lowercase nickname to accounts, which makes them searchable by it. Guests aren't searchable. */
export const searchableNames: Migration = {
  name: "0003-searchable-names",
  async run(job) {
    const absent = { $exists: false };
    const filter = { usernameLower: { $exists: true }, nicknameLower: absent, deletedAt: absent };
    await inBatches(job, "users", filter, { nickname: 1 }, async (users) =>
      users.map(({ _id, nickname }) => ({
        updateOne: {
          // Skips users who changed their nickname in the meantime.
          filter: { _id, nickname, nicknameLower: absent },
          update: { $set: { nicknameLower: String(nickname).toLowerCase() } },
        },
      })),
    );
  },
};

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

/** Unverified addresses expire; for existing ones, the time starts now. */
export const emailClaims: Migration = {
  name: "0005-email-claims",
  async run(job) {
    const emailClaimedAt = new Date();
    const filter = { email: { $exists: true }, emailVerifiedAt: { $exists: false } };
    await inBatches(job, "users", filter, { emailClaimedAt: 1 }, async (users) =>
      users
        .filter((user) => user["emailClaimedAt"] === undefined)
        .map(({ _id }) => ({
          updateOne: {
            filter: { _id, emailVerifiedAt: { $exists: false } },
            update: { $set: { emailClaimedAt } },
          },
        })),
    );
  },
};

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

/** Drops the old search index, which had other tokens; it is rebuilt from the messages. */
export const searchIndex: Migration = {
  name: "0008-search-index",
  async run({ db }) {
    for (const name of ["searchEntries", "searchProgress", "searchGroupProgress"])
      await db.dropCollection(name);
  },
};

const { sendMessages, changeNickname, manageGroup, manageEmoji, manageNicknames } = PERMISSIONS;

/** Roles that can manage the group can also manage its emoji. */
export const emojiPermission: Migration = {
  name: "0009-emoji-permission",
  async run({ db }) {
    for (const [collection, field] of [
      ["roles", "permissions"],
      ["groups", "defaultPermissions"],
    ] as const)
      await db
        .collection(collection)
        .updateMany(
          { [field]: { $bitsAllSet: manageGroup, $bitsAllClear: manageEmoji } },
          { $bit: { [field]: { or: manageEmoji } } },
          { writeConcern: DURABLE },
        );
  },
};

/** Members who can write can choose their nickname in the group; roles that can manage the group can change those of others. */
export const nicknamePermissions: Migration = {
  name: "0010-nickname-permissions",
  async run({ db }) {
    for (const [collection, field, has, gets] of [
      ["groups", "defaultPermissions", sendMessages, changeNickname],
      ["groups", "defaultPermissions", manageGroup, manageNicknames],
      ["roles", "permissions", manageGroup, manageNicknames],
    ] as const)
      await db
        .collection(collection)
        .updateMany(
          { [field]: { $bitsAllSet: has, $bitsAllClear: gets } },
          { $bit: { [field]: { or: gets } } },
          { writeConcern: DURABLE },
        );
  },
};

/** All members can take part in calls, as in new groups. Groups that never changed their default role have no stored permissions. */
export const callPermissions: Migration = {
  name: "0011-call-permissions",
  async run({ db }) {
    await db
      .collection("groups")
      .updateMany(
        { defaultPermissions: { $bitsAllClear: CALL_PERMISSIONS } },
        { $bit: { defaultPermissions: { or: CALL_PERMISSIONS } } },
        { writeConcern: DURABLE },
      );
  },
};

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
