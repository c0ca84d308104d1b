import { mongo } from "mongoose";
import type { Check, Finding } from "./checks.ts";

interface Head {
  seq: number;
  rev: number;
  /** Older messages were removed by the group's retention. */
  retainedFrom?: number;
}

interface LogEntry {
  channelId: mongo.ObjectId;
  seq: number;
  rev: number;
  revs: number[];
}

/** Checks that seq and rev of each channel have no gaps or duplicates and match its head: see docs/adr/0004-message-log.md. */
export const checkLog: Check = async function* (db) {
  const heads = new Map<string, Head>();
  for await (const { _id, ...head } of db.collection("channelHeads").find())
    heads.set(String(_id), head as unknown as Head);
  const entries = db
    .collection<LogEntry>("messages")
    .find({}, { projection: { channelId: 1, seq: 1, rev: 1, revs: 1 } })
    .sort({ channelId: 1, seq: 1 });
  let log: ChannelLog | undefined;
  for await (const { channelId, ...entry } of entries) {
    const id = String(channelId);
    if (log?.channelId !== id) {
      if (log !== undefined) yield* log.close(db, heads);
      log = new ChannelLog(id, heads.get(id)?.retainedFrom ?? 1);
    }
    yield* log.add(entry);
  }
  if (log !== undefined) yield* log.close(db, heads);
  for (const [channelId, { seq }] of heads) {
    if (seq === 0) continue;
    yield {
      description: `channel ${channelId} has no messages, but its head has seq ${seq}`,
      repair: () => db.collection("channelHeads").deleteOne({ _id: new mongo.ObjectId(channelId) }),
    };
  }
};

class ChannelLog {
  readonly channelId: string;
  readonly #isWhole: boolean;
  readonly #revs = new Set<number>();
  #seq: number;
  #rev = 0;

  constructor(channelId: string, from: number) {
    this.channelId = channelId;
    this.#isWhole = from <= 1;
    this.#seq = this.#isWhole ? 0 : -1;
  }

  *add({ seq, rev, revs }: Omit<LogEntry, "channelId">): Generator<Finding> {
    const { channelId } = this;
    const before = this.#seq;
    if (seq === before) yield { description: `channel ${channelId} has two messages with seq ${seq}` };
    else if (before !== -1 && seq !== before + 1)
      yield {
        description: `channel ${channelId} is missing the messages with seq ${before + 1} to ${seq - 1}`,
      };
    this.#seq = seq;
    for (const one of revs) {
      if (this.#revs.has(one)) yield { description: `channel ${channelId} has two changes with rev ${one}` };
      this.#revs.add(one);
      this.#rev = Math.max(this.#rev, one);
    }
    if (rev !== Math.max(...revs))
      yield {
        description: `message ${seq} of channel ${channelId} has rev ${rev}, which is not its last change`,
      };
  }

  /** Removes the head of the channel from `heads`. */
  *close(db: mongo.Db, heads: Map<string, Head>): Generator<Finding> {
    const { channelId } = this;
    if (this.#isWhole && this.#revs.size !== this.#rev) {
      let missing = 1;
      while (this.#revs.has(missing)) missing += 1;
      yield {
        description: `channel ${channelId} is missing changes below rev ${this.#rev}, the first is ${missing}`,
      };
    }
    const head = heads.get(channelId);
    heads.delete(channelId);
    const actual = { seq: this.#seq, rev: this.#rev };
    if (head?.seq === actual.seq && head.rev === actual.rev) return;
    const shown = head === undefined ? "none" : `seq ${head.seq}, rev ${head.rev}`;
    yield {
      description: `the head of channel ${channelId} is ${shown}; its messages have seq ${actual.seq}, rev ${actual.rev}`,
      repair: () => restoreHead(db, channelId, actual),
    };
  }
}

/** Searches look for changed threads by their heads. */
async function restoreHead(db: mongo.Db, channelId: string, { seq, rev }: Head): Promise<void> {
  const _id = new mongo.ObjectId(channelId);
  const thread = await db.collection("channels").findOne({ _id, kind: "thread" });
  const head = { seq, rev, changedAt: new Date(), ...(thread && { threadOf: thread["parentGroupId"] }) };
  await db.collection("channelHeads").updateOne({ _id }, { $set: head }, { upsert: true });
}
