import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { MongoClient, ObjectId } from "mongodb";
import { spawnServer, type ServerProcess } from "../test/spawn-server.ts";
import { latencies, percentile, restart, throughput } from "./measure.ts";
import { message, messagesOf } from "./message.ts";

/** node packages/embedded-mongo/bench/bench.ts: runs the server in a separate process and the driver in this one. */
const TOTAL = 200_000;
const BATCH = 1_000;
const DURABLE = { writeConcern: { w: "majority", j: true } } as const;

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "fanfare-bench-"));
const rows: { measure: string; result: string; goal: string }[] = [];
const report = (measure: string, result: string, goal = "") => rows.push({ measure, result, goal });
const rate = (perSecond: number, unit: string) => `${Math.round(perSecond).toLocaleString("en")} ${unit}/s`;

let server: ServerProcess = await spawnServer(dir);
let client = await new MongoClient(server.uri, { maxPoolSize: 100 }).connect();
const status = async () =>
  (await client.db("admin").command({ serverStatus: 1 }))["fanfare"] as Record<string, number>;

const channel = new ObjectId();
const author = new ObjectId();
let messages = await messagesOf(client.db("bench"));

// Warms up both processes.
const other = new ObjectId();
for (let i = 0; i < 20; i++) {
  await messages.insertMany(Array.from({ length: 500 }, (_, n) => message(other, author, i * 500 + n)));
}
await messages.deleteMany({ channelId: other });

const before = await status();
const inserted = await throughput(TOTAL / BATCH, 4, (i) =>
  messages.insertMany(Array.from({ length: BATCH }, (_, n) => message(channel, author, i * BATCH + n))),
);
report("insertMany of 1,000, 4 in flight", rate(inserted * BATCH, "documents"), "40,000");
const filled = await status();
report(
  "estimated memory of a message (counted against the bound)",
  `${Math.round((filled["dataBytes"]! - before["dataBytes"]!) / TOTAL)} bytes`,
);
const [sample] = await messages.find({ channelId: channel }, { raw: true }).limit(1).toArray();
report("BSON of a message", `${(sample as unknown as Buffer).length} bytes`);
report(
  "RSS of the server per message",
  `${Math.round((filled["rssBytes"]! - before["rssBytes"]!) / TOTAL)} bytes`,
);

const page = await latencies(2_000, () =>
  messages.find({ channelId: channel }).sort({ seq: -1 }).limit(50).toArray(),
);
report(
  "newest 50 of 200,000, p50 / p99",
  `${percentile(page, 50).toFixed(3)} / ${percentile(page, 99).toFixed(3)} ms`,
  "1 ms",
);
const middle = await latencies(1_000, (i) =>
  messages
    .find({ channelId: channel, seq: { $lt: 500 + i * 190 } })
    .sort({ seq: -1 })
    .limit(50)
    .toArray(),
);
report(
  "50 before a seq, p50 / p99",
  `${percentile(middle, 50).toFixed(3)} / ${percentile(middle, 99).toFixed(3)} ms`,
  "1 ms",
);
const sync = await latencies(1_000, (i) =>
  messages
    .find({ channelId: channel, rev: { $gt: i * 190 } })
    .sort({ rev: 1 })
    .limit(50)
    .toArray(),
);
report(
  "50 after a rev, p50 / p99",
  `${percentile(sync, 50).toFixed(3)} / ${percentile(sync, 99).toFixed(3)} ms`,
);

let seq = TOTAL;
const single = await throughput(20_000, 32, () =>
  messages.insertOne(message(channel, author, seq++), DURABLE),
);
report("insertOne j: true, 32 in flight", rate(single, "documents"), "8,000");

const counters = client.db("bench").collection<{ _id: ObjectId; seq: number; rev: number }>("channels");
const take = (k: number) =>
  counters.findOneAndUpdate(
    { _id: channel },
    { $inc: { seq: k, rev: k } },
    { upsert: true, returnDocument: "after" },
  );
report(
  "findOneAndUpdate $inc, 32 in flight",
  rate(await throughput(20_000, 32, () => take(1)), "operations"),
);
report(
  "updateOne by _id, 32 in flight",
  rate(
    await throughput(20_000, 32, () => counters.updateOne({ _id: channel }, { $set: { name: "x" } })),
    "operations",
  ),
);

for (const k of [1, 10, 100]) {
  const count = k === 100 ? 500 : 2_000;
  const start = await status();
  const pair = await latencies(count, async () => {
    await take(k);
    await messages.insertMany(
      Array.from({ length: k }, () => message(channel, author, seq++)),
      DURABLE,
    );
  });
  const cpu = ((await status())["cpuMicros"]! - start["cpuMicros"]!) / count;
  report(
    `hot pair ($inc, then insertMany j: true of ${k}), p50 / p99`,
    `${percentile(pair, 50).toFixed(2)} / ${percentile(pair, 99).toFixed(2)} ms, server CPU ${Math.round(cpu)} µs`,
  );
}

const total = await messages.estimatedDocumentCount();
for (const how of ["killed", "stopped"] as const) {
  const restarted = await restart({ server, client }, dir, how);
  ({ server, client } = restarted);
  messages = client.db("bench").collection("messages");
  const found = await messages.estimatedDocumentCount();
  report(
    `restart after being ${how}, ${found.toLocaleString("en")} messages`,
    `${restarted.seconds.toFixed(2)} s`,
    "3 s",
  );
  if (found !== total) throw new Error(`${total - found} messages are missing`);
}
const fresh = await status();
report("RSS of the server per message after a restart", `${Math.round(fresh["rssBytes"]! / total)} bytes`);

await client.close();
await server.stop();
fs.rmSync(dir, { recursive: true });
const width = Math.max(...rows.map(({ measure }) => measure.length));
for (const { measure, result, goal } of rows)
  console.log(`${measure.padEnd(width)}  ${result}${goal && `  (goal ${goal})`}`);
