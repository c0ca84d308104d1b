import { mongo } from "mongoose";
import { DURABLE } from "../../repository.ts";
import type { Job, Migration } from "../migration.ts";

/** Messages that are read and written at a time: otherwise a reply has as many as fit into 16 MiB. */
const BATCH_MESSAGES = 1000;
/** One that may be ahead of the messages, because numbers were taken by it. */
const OLD_HEAD = { $or: [{ pending: { $exists: true } }, { confirmedAt: { $exists: true } }] };
/** Made by this migration in the place of a message that was never stored. */
const NO_AUTHOR = new mongo.ObjectId("0".repeat(24));

/**
 * Messages keep the numbers of all their changes, and a channel has no holes (ADR 4). Before, a message had only the number of its
 * last change, and who died between taking numbers and storing messages left holes:
 *
 * - what is missing among the `seq` becomes a message that is deleted;
 * - what is missing among the changes below a message's `rev` becomes one of its changes, since a later one has replaced it;
 * - the head says what the messages say.
 */
export const messageRevs: Migration = {
  name: "0001-message-revs",
  async run(job) {
    const messages = job.db.collection("messages");
    if (!(await job.db.listCollections({ name: "messages" }).hasNext())) return;
    // Where this index is, all messages have what it is of; without it all are looked at.
    if ((await messages.indexes()).some(({ key }) => "revs" in key)) return;
    const isBegun = job.resumeFrom !== undefined;
    if (!isBegun && (await messages.findOne({ revs: { $exists: false } })) === null) return;
    if (!isBegun) await job.reached(null, 0);
    // A backup has none; both are needed afterwards too.
    await messages.createIndex({ channelId: 1, seq: 1 }, { unique: true, name: "channel_seq" });
    await messages.createIndex({ channelId: 1, rev: 1 }, { name: "channel_rev" });
    await fillSeqs(job.db);
    await numberChanges(job);
  },
};

interface StoredMessage {
  _id: mongo.ObjectId;
  channelId: mongo.ObjectId;
  seq: number;
  rev: number;
  revs?: number[];
  createdAt: Date;
}

const FIELDS = { channelId: 1, seq: 1, rev: 1, revs: 1, createdAt: 1 } as const;

/** Runs again from the beginning after a crash: it finds fewer holes then. */
async function fillSeqs(db: mongo.Db): Promise<void> {
  const messages = db.collection("messages");
  const found = messages
    .find<StoredMessage>({}, { projection: FIELDS })
    .sort({ channelId: 1, seq: 1 })
    .batchSize(BATCH_MESSAGES);
  let holes: mongo.Document[] = [];
  let last: StoredMessage | undefined;
  let rev = 0;
  const store = async (): Promise<void> => {
    const deleted = holes.map((hole) => ({ ...hole, rev: ++rev }));
    holes = [];
    if (deleted.length > 0) await messages.insertMany(deleted, { writeConcern: DURABLE });
  };
  for await (const message of found) {
    const isFirst = last === undefined || !last.channelId.equals(message.channelId);
    if (isFirst) {
      await store();
      rev = 0;
    }
    // Before one that was numbered already there may be none, because they were kept for some days only.
    if (message.revs === undefined)
      for (let seq = isFirst ? 1 : last!.seq + 1; seq < message.seq; seq++)
        holes.push(deletedMessage(message, seq));
    rev = Math.max(rev, message.rev);
    last = message;
  }
  await store();
}

function deletedMessage({ channelId, createdAt }: StoredMessage, seq: number): mongo.Document {
  return {
    channelId,
    seq,
    authorId: NO_AUTHOR,
    content: "",
    replyTo: null,
    nonce: `never-stored-${seq}`,
    createdAt,
    editedAt: null,
    deletedAt: createdAt,
  };
}

/** Channel after channel, by change: each message gets the numbers after that of the message before it, up to its own. */
async function numberChanges(job: Job): Promise<void> {
  const messages = job.db.collection("messages");
  const from = (job.resumeFrom ?? null) as mongo.ObjectId | null;
  const rest = from === null ? {} : { channelId: { $gte: from } };
  await job.expect(await messages.countDocuments(rest));
  const found = messages
    .find<StoredMessage>(rest, { projection: FIELDS })
    .sort({ channelId: 1, rev: 1 })
    .batchSize(BATCH_MESSAGES);
  let writes: mongo.AnyBulkWriteOperation[] = [];
  let heads: mongo.AnyBulkWriteOperation[] = [];
  let looked = 0;
  let channel: { id: mongo.ObjectId; seq: number; rev: number } | undefined;
  const store = async (): Promise<void> => {
    if (writes.length > 0) await messages.bulkWrite(writes, { ordered: false, writeConcern: DURABLE });
    if (heads.length > 0)
      await job.db.collection("channelHeads").bulkWrite(heads, { ordered: false, writeConcern: DURABLE });
    [writes, heads] = [[], []];
    if (looked > 0) await job.reached(channel?.id, looked);
    looked = 0;
  };
  const endChannel = (): void => {
    if (channel === undefined) return;
    const { id, seq, rev } = channel;
    heads.push(
      {
        updateOne: {
          filter: { _id: id, ...OLD_HEAD },
          update: { $set: { seq, rev }, $unset: { pending: "", confirmedAt: "" } },
        },
      },
      // Where another process has done it since, the channel may have moved on.
      { updateOne: { filter: { _id: id }, update: { $max: { seq, rev } }, upsert: true } },
    );
  };
  for await (const { _id, channelId, seq, rev, revs } of found) {
    if (channel === undefined || !channel.id.equals(channelId)) {
      endChannel();
      channel = { id: channelId, seq: 0, rev: 0 };
    }
    if (revs === undefined) {
      const before = channel.rev;
      const numbers = Array.from({ length: rev - before }, (_, n) => before + 1 + n);
      writes.push({
        updateOne: { filter: { _id, rev, revs: { $exists: false } }, update: { $set: { revs: numbers } } },
      });
    }
    channel.seq = Math.max(channel.seq, seq);
    channel.rev = rev;
    looked += 1;
    if (looked >= BATCH_MESSAGES) await store();
  }
  endChannel();
  await store();
  await removeEmptyHeads(job.db);
}

/** Of channels that nothing was ever stored in, although numbers were taken. */
async function removeEmptyHeads(db: mongo.Db): Promise<void> {
  await db.collection("channelHeads").deleteMany(OLD_HEAD, { writeConcern: DURABLE });
}
