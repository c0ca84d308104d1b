import { scrypt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import mongoose, { Types } from "mongoose";
import { startEmbeddedMongo, startEmbeddedMongoProcess } from "../src/index.ts";
import { percentile } from "./measure.ts";
import { message, messagesOf } from "./message.ts";

/**
 * node packages/embedded-mongo/bench/placement.ts: measures the two commands of a message through mongoose, with the server in the
 * client's thread and in a child process. The client is otherwise idle, busy half of the time, or hashing
 * passwords, which fills the thread pool that a server in the same process uses for syncs.
 */
const PAIRS = 600;
const MESSAGES_PER_PAIR = 5;
const PAUSE_MS = 1;
const BUSY_MS = 2;
const BUSY_EVERY_MS = 4;
const HASHES_IN_FLIGHT = 8;

interface Place {
  readonly uri: string;
  close(): Promise<unknown>;
}

const places: Record<string, (dir: string) => Promise<Place>> = {
  "same thread": (dir) => startEmbeddedMongo({ dir }),
  "child process": (dir) => startEmbeddedMongoProcess({ dir }),
};

const spin = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

type Load = "idle" | "busy" | "hashing";

/** @returns a function that ends the load */
function startLoad(kind: Load): () => void {
  if (kind === "idle") return () => {};
  if (kind === "busy") {
    const timer = setInterval(() => spin(BUSY_MS), BUSY_EVERY_MS);
    return () => clearInterval(timer);
  }
  let running = true;
  const hash = () => {
    if (running) scrypt("password", "salt", 64, hash);
  };
  for (let i = 0; i < HASHES_IN_FLIGHT; i++) hash();
  return () => (running = false);
}

async function run(open: (dir: string) => Promise<Place>, kind: Load): Promise<string> {
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
  const endLoad = startLoad(kind);
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
  endLoad();
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

for (const kind of ["idle", "busy", "hashing"] as const) {
  for (const [name, open] of Object.entries(places)) {
    console.log(`${kind.padEnd(7)} client, ${name.padEnd(13)}  ${await run(open, kind)}`);
  }
}
