import { mongo } from "mongoose";
import { DURABLE } from "../../repository.ts";
import type { Job, Migration } from "../migration.ts";

/** Messages per batch; the default is as many as fit into 16 MiB. */
const BATCH_MESSAGES = 1000;
/** Heads of the first version, which can be ahead of the messages. */
const OLD_HEAD = { $or: [{ pending: { $exists: true } }, { confirmedAt: { $exists: true } }] };
/** The author of placeholders for messages that were never stored. */
const NO_AUTHOR = new mongo.ObjectId("0".repeat(24));

/**
 * Adds `revs`, the numbers of all changes of a message, and removes gaps in channels (ADR 4). In the first version, messages had only
 * the number of their last change, and crashes between allocating numbers and storing messages left gaps:
 *
 * - a missing `seq` becomes a deleted message;
 * - missing changes below a message's `rev` become changes of that message, because a later one has replaced them;
 * - the head is computed from the messages.
 */
export const messageRevs: Migration = {
  name: "0001-message-revs",
  async run(job) {
    const messages = job.db.collection("messages");
    if (!(await job.db.listCollections({ name: "messages" }).hasNext())) return;
    // The index exists only if all messages have `revs`.
    if ((await messages.indexes()).some(({ key }) => "revs" in key)) return;
    const hasStarted = job.resumeFrom !== undefined;
    if (!hasStarted && (await messages.findOne({ revs: { $exists: false } })) === null) return;
    if (!hasStarted) await job.reached(null, 0);
    // A restored backup has no indexes; both are needed later too.
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

/** Starts again from the beginning after a crash, and then finds fewer gaps. */
async function fillSeqs(db: mongo.Db): Promise<void> {
  const messages = db.collection("messages");
  const found = messages
    .find<StoredMessage>({}, { projection: FIELDS })
    .sort({ channelId: 1, seq: 1 })
    .batchSize(BATCH_MESSAGES);
  let gaps: mongo.Document[] = [];
  let last: StoredMessage | undefined;
  let rev = 0;
  const store = async (): Promise<void> => {
    const deleted = gaps.map((gap) => ({ ...gap, rev: ++rev }));
    gaps = [];
    if (deleted.length > 0) await messages.insertMany(deleted, { writeConcern: DURABLE });
  };
  for await (const message of found) {
    const isFirst = last === undefined || !last.channelId.equals(message.channelId);
    if (isFirst) {
      await store();
      rev = 0;
    }
    // Earlier messages of a migrated one can be missing because of retention.
    if (message.revs === undefined)
      for (let seq = isFirst ? 1 : last!.seq + 1; seq < message.seq; seq++)
        gaps.push(deletedMessage(message, seq));
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

/** Per channel, ordered by rev: each message gets the numbers after the rev of the previous message, up to its own. */
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
  let processed = 0;
  let channel: { id: mongo.ObjectId; seq: number; rev: number } | undefined;
  const store = async (): Promise<void> => {
    if (writes.length > 0) await messages.bulkWrite(writes, { ordered: false, writeConcern: DURABLE });
    if (heads.length > 0)
      await job.db.collection("channelHeads").bulkWrite(heads, { ordered: false, writeConcern: DURABLE });
    [writes, heads] = [[], []];
    if (processed > 0) await job.reached(channel?.id, processed);
    processed = 0;
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
      // If another process has migrated the channel, it can have newer messages.
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
    processed += 1;
    if (processed >= BATCH_MESSAGES) await store();
  }
  endChannel();
  await store();
  await removeEmptyHeads(job.db);
}

/** Removes heads of channels without any stored message. */
async function removeEmptyHeads(db: mongo.Db): Promise<void> {
  await db.collection("channelHeads").deleteMany(OLD_HEAD, { writeConcern: DURABLE });
}
