import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import mongoose, { Types } from "mongoose";
import { startEmbeddedMongo, startEmbeddedMongoWorker } from "../src/index.ts";
import { spawnServer } from "../test/spawn-server.ts";
import { percentile } from "./measure.ts";
import { message, messagesOf } from "./message.ts";

/**
 * node packages/embedded-mongo/bench/placement.ts: the chat's hot pair through mongoose, with the server in the thread
 * of the client, in a worker thread and in a child process; the client otherwise idle, or busy half of the time.
 */
const PAIRS = 1_500;
const MESSAGES_PER_PAIR = 5;
const PAUSE_MS = 1;
const BUSY_MS = 2;
const BUSY_EVERY_MS = 4;

interface Place {
  readonly uri: string;
  close(): Promise<unknown>;
}

const places: Record<string, (dir: string) => Promise<Place>> = {
  "same thread": (dir) => startEmbeddedMongo({ dir }),
  "worker thread": (dir) => startEmbeddedMongoWorker({ dir }),
  "child process": async (dir) => {
    const { uri, stop } = await spawnServer(dir);
    return { uri, close: stop };
  },
};

const spin = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

async function run(open: (dir: string) => Promise<Place>, busy: boolean): Promise<string> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "fanfare-place-"));
  const place = await open(dir);
  const connection = await mongoose.createConnection(place.uri, { dbName: "bench" }).asPromise();
  const db = connection.getClient().db("bench");
  const messages = await messagesOf(db);
  const channels = db.collection<{ _id: Types.ObjectId; seq: number }>("channels");
  const channel = new Types.ObjectId();
  const pair = async () => {
    const head = await channels.findOneAndUpdate(
      { _id: channel },
      { $inc: { seq: MESSAGES_PER_PAIR, rev: MESSAGES_PER_PAIR } },
      { upsert: true, returnDocument: "after" },
    );
    const last = head!.seq;
    const batch = Array.from({ length: MESSAGES_PER_PAIR }, (_, i) => message(channel, channel, last - i));
    await messages.insertMany(batch, { writeConcern: { w: "majority", j: true } });
  };
  for (let i = 0; i < 300; i++) await pair();
  const load = busy ? setInterval(() => spin(BUSY_MS), BUSY_EVERY_MS) : undefined;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  const times: number[] = [];
  for (let i = 0; i < PAIRS; i++) {
    const started = performance.now();
    await pair();
    times.push(performance.now() - started);
    if (i % 4 === 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(load);
  await connection.close();
  await place.close();
  fs.rmSync(dir, { recursive: true });
  times.sort((a, b) => a - b);
  const ms = (value: number) => value.toFixed(2).padStart(6);
  return (
    `pair p50 ${ms(percentile(times, 50))} p99 ${ms(percentile(times, 99))} ms · ` +
    `loop delay p50 ${ms(delay.percentile(50) / 1e6)} p99 ${ms(delay.percentile(99) / 1e6)} ms · ` +
    `CPU of this process ${Math.round((user + system) / PAIRS)} µs per pair`
  );
}

for (const busy of [false, true]) {
  for (const [name, open] of Object.entries(places)) {
    console.log(`${busy ? "busy" : "idle"} client, ${name.padEnd(13)}  ${await run(open, busy)}`);
  }
}
