import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { spawnServer } from "../test/spawn-server.ts";

/**
 * node packages/embedded-mongo/bench/pauses.ts [millions of documents]: runs long commands in a separate server process, and prints the
 * duration of each and the longest ping of another client during it.
 */
const TOTAL = Number(process.argv[2] ?? 2) * 1_000_000;
const BATCH = 1_000;

const dir = fs.mkdtempSync(path.join(process.env["BENCH_DIR"] ?? os.tmpdir(), "fanfare-pauses-"));
const server = await spawnServer(dir);
/** An unresponsive server must not end the connections, because that is what is measured. */
const unmonitored = { heartbeatFrequencyMS: 3_600_000, serverMonitoringMode: "poll" } as const;
const client = await new MongoClient(server.uri, unmonitored).connect();
const other = await new MongoClient(server.uri, unmonitored).connect();
const things = client.db("bench").collection<{ _id: number }>("things");

/** Measures the longest ping of the other client until the work is done. */
async function longestPing(work: Promise<unknown>): Promise<number> {
  let longestMs = 0;
  const isDone = work.then(() => true);
  do {
    const startedMs = performance.now();
    await other.db("admin").command({ ping: 1 });
    longestMs = Math.max(longestMs, performance.now() - startedMs);
  } while (!(await Promise.race([isDone, delay(1, false)])));
  return longestMs;
}

async function measure(what: string, run: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now();
  let [seconds, failure] = [0, ""];
  const work = run()
    .catch((error: Error) => (failure = `, ${error.message.slice(0, 60)}`))
    .then(() => (seconds = (performance.now() - startedMs) / 1000));
  const longestMs = await longestPing(work);
  console.log(
    `${what.padEnd(24)} ${seconds.toFixed(2).padStart(7)} s, longest ping ${longestMs.toFixed(0).padStart(6)} ms${failure}`,
  );
}

const document = (i: number) => ({
  _id: i,
  n: (i * 7919) % TOTAL,
  group: i % 100,
  name: `name-${i.toString(36).padStart(8, "0")}`,
  at: new Date(1_700_000_000_000 + i * 1000),
});
await measure("insertMany of 1,000", async () => {
  for (let i = 0; i < TOTAL; i += BATCH)
    await things.insertMany(Array.from({ length: BATCH }, (_, k) => document(i + k)));
});
await measure("first batch of find", () => things.find().batchSize(101).next());
await measure("scan", () => things.findOne({ name: "none" }));
await measure("sort", () => things.find().sort({ n: 1 }).batchSize(2).next());
await measure("sort and limit", () => things.find().sort({ n: 1 }).limit(50).toArray());
await measure("count with a filter", () => things.countDocuments({ name: { $gt: "name-000" } }));
await measure("distinct", () => things.distinct("group"));
await measure("aggregate $group", () =>
  things.aggregate([{ $group: { _id: "$group", n: { $sum: "$n" }, last: { $max: "$at" } } }]).toArray(),
);
await measure("createIndex", () => things.createIndex({ n: 1 }, { unique: true }));
await measure("count with an index", () => things.countDocuments({ n: { $gt: 1 } }));
await measure("updateMany", () => things.updateMany({}, { $set: { group: 1000 } }));
await measure("deleteMany", () => things.deleteMany({ group: 1000 }));
await client.close();
await other.close();
await server.stop();
fs.rmSync(dir, { recursive: true });
