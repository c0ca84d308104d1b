/**
 * Migrates messages of the first version on an embedded database in a separate process, and prints the duration of each step and
 * the peak memory of each process: `node packages/kernel/bench/migrate.ts [messages, default 1000000]`
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongoProcess } from "@fanfare/embedded-mongo";
import mongoose, { mongo, Schema } from "mongoose";
import { migrate } from "../src/migrations/migrate.ts";

const MESSAGES = Number(process.argv[2] ?? 1_000_000);
const MESSAGES_PER_CHANNEL = 1000;
const AUTHORS = Array.from({ length: 100 }, () => new mongo.ObjectId());
const BATCH = 5000;
const MEBIBYTE = 1024 * 1024;

const folder = await mkdtemp(join(tmpdir(), "fanfare-bench-migrate-"));
const database = await startEmbeddedMongoProcess({ dir: folder });
const connection = await mongoose
  .createConnection(database.uri, { dbName: "fanfare", autoIndex: false, autoCreate: false })
  .asPromise();
const db = connection.getClient().db("fanfare");
declareIndexes();
await fill();
const print = (line: string): void => void process.stdout.write(`${line}\n`);
// Resets the peak memory of this process, so that only the migration counts.
await writeFile("/proc/self/clear_refs", "5").catch(() => undefined);
print(
  `${await residentOf("self")} MiB used by the program, ${await residentOf("child")} MiB by the database, before`,
);
const migrateAll = (log: (message: string, fields?: object) => void): Promise<void> =>
  migrate(connection, {
    version: "0.0.0",
    holder: "bench",
    isAlone: true,
    removesIndexes: false,
    isAutomatic: true,
    report: { log, warn: print, state: () => undefined },
  });
const elapsed = stopwatch();
await migrateAll((message, fields) => print(`${elapsed()} s  ${message} ${JSON.stringify(fields)}`));
print(`${elapsed()} s  total, ${MESSAGES} messages in ${MESSAGES / MESSAGES_PER_CHANNEL} channels`);
const again = stopwatch();
await migrateAll(print);
print(`${again()} s  start with nothing to migrate`);
print(
  `peak memory: ${await peakOf("self")} MiB of the program, ${await peakOf("child")} MiB of the database`,
);
await connection.close();
await database.close();
await rm(folder, { recursive: true });

function stopwatch(): () => string {
  const beganAt = performance.now();
  return () => ((performance.now() - beganAt) / 1000).toFixed(2);
}

/** The current indexes of messages. */
function declareIndexes(): void {
  const schema = new Schema({}, { collection: "messages", strict: false });
  schema.index({ channelId: 1, seq: 1 }, { unique: true, name: "channel_seq" });
  schema.index({ channelId: 1, revs: 1 }, { unique: true, name: "channel_revs" });
  schema.index({ channelId: 1, rev: 1 }, { name: "channel_rev" });
  schema.index({ channelId: 1, authorId: 1, nonce: 1 }, { unique: true, name: "channel_author_nonce" });
  connection.model("Message", schema);
}

/** Every tenth message is edited, so the migration has to restore its earlier rev. */
async function fill(): Promise<void> {
  const createdAt = new Date();
  let batch: mongo.Document[] = [];
  const heads: mongo.Document[] = [];
  for (let n = 0; n < MESSAGES; n += MESSAGES_PER_CHANNEL) {
    const channelId = new mongo.ObjectId();
    let rev = 0;
    for (let seq = 1; seq <= MESSAGES_PER_CHANNEL; seq++) {
      rev += seq % 10 === 0 ? 2 : 1;
      batch.push({
        channelId,
        seq,
        rev,
        authorId: AUTHORS[seq % AUTHORS.length],
        content: "A message of about a hundred characters, as people write them to each other all day long.",
        replyTo: null,
        nonce: `nonce-${seq}`,
        createdAt,
        editedAt: null,
        deletedAt: null,
      });
      if (batch.length === BATCH) {
        await db.collection("messages").insertMany(batch);
        batch = [];
      }
    }
    heads.push({ _id: channelId, seq: MESSAGES_PER_CHANNEL, rev, pending: {} });
    await db
      .collection("channels")
      .insertOne({ _id: channelId, kind: "text", groupId: channelId, createdAt });
  }
  if (batch.length > 0) await db.collection("messages").insertMany(batch);
  await db.collection("channelHeads").insertMany(heads);
}

/** The peak memory of this process or of the database, which is its child. */
async function peakOf(which: "self" | "child"): Promise<number> {
  return memoryOf(which, /VmHWM:\s+(\d+)/);
}

async function residentOf(which: "self" | "child"): Promise<number> {
  return memoryOf(which, /VmRSS:\s+(\d+)/);
}

async function memoryOf(which: "self" | "child", line: RegExp): Promise<number> {
  const pid = which === "self" ? process.pid : await firstChild();
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round((Number(line.exec(status)?.[1]) * 1024) / MEBIBYTE);
}

async function firstChild(): Promise<string> {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
  return children.trim().split(" ")[0]!;
}
