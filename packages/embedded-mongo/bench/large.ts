import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { MongoClient, ObjectId } from "mongodb";
import { spawnServer, type ServerProcess } from "../test/spawn-server.ts";
import { latencies, percentile, restart } from "./measure.ts";

/**
 * node packages/embedded-mongo/bench/large.ts [millions of messages]: stores messages with search entries as the services do, in a
 * separate server process. Prints the insert rate after each million, and the cost of reads at the end.
 */
const MILLION = 1_000_000;
const TOTAL = Number(process.argv[2] ?? 1) * MILLION;
const BATCH = 500;
const IN_FLIGHT = 4;
const CHANNELS = 2_000;
const WORDS = 50_000;
const WORDS_PER_MESSAGE = 15;

const dir = fs.mkdtempSync(path.join(process.env["BENCH_DIR"] ?? os.tmpdir(), "fanfare-large-"));
let server: ServerProcess = await spawnServer(dir);
let client = await new MongoClient(server.uri).connect();

const channels = Array.from({ length: CHANNELS }, () => new ObjectId());
const authors = Array.from({ length: 500 }, () => new ObjectId());
const seqs = new Uint32Array(CHANNELS);
/** Low numbers are much more frequent, as with real channels and words. */
const skewed = (count: number): number => Math.floor(count * Math.random() ** 3);
const word = (): string => `word${skewed(WORDS)}`;

const collections = () => {
  const db = client.db("bench");
  return { messages: db.collection("messages"), entries: db.collection("searchEntries") };
};

async function insertBatch(): Promise<void> {
  const { messages, entries } = collections();
  const [documents, found] = [[] as object[], [] as object[]];
  for (let i = 0; i < BATCH; i++) {
    const at = skewed(CHANNELS);
    const [channelId, seq] = [channels[at]!, (seqs[at] = seqs[at]! + 1)];
    const tokens = Array.from({ length: WORDS_PER_MESSAGE }, word);
    const _id = new ObjectId();
    const authorId = authors[skewed(authors.length)];
    const content = tokens.join(" ");
    const more = {
      replyTo: null,
      nonce: _id.toHexString(),
      createdAt: new Date(),
      editedAt: null,
      deletedAt: null,
    };
    documents.push({ _id, channelId, seq, rev: seq, revs: [seq], authorId, content, ...more });
    found.push({ _id, channelId, rev: seq, tokens: [...new Set(tokens)] });
  }
  await Promise.all([
    messages.insertMany(documents, { ordered: false, writeConcern: { w: 1, j: true } }),
    entries.insertMany(found, { ordered: false, writeConcern: { w: 1, j: true } }),
  ]);
}

interface Status {
  cpuMicros: number;
  rssBytes: number;
  dataBytes: number;
  walBytes: number;
}
const status = async () => (await client.db("admin").command({ serverStatus: 1 }))["fanfare"] as Status;
const mib = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;

{
  const { messages, entries } = collections();
  await messages.createIndexes([
    { key: { channelId: 1, seq: 1 }, unique: true },
    { key: { channelId: 1, revs: 1 }, unique: true },
    { key: { channelId: 1, authorId: 1, nonce: 1 }, unique: true },
    { key: { channelId: 1, rev: 1 } },
  ]);
  await entries.createIndex({ channelId: 1, tokens: 1, _id: -1 });
}

let longestPingMs = 0;
const pinging = setInterval(() => {
  const startedMs = performance.now();
  void client
    .db("admin")
    .command({ ping: 1 })
    .then(() => (longestPingMs = Math.max(longestPingMs, performance.now() - startedMs)));
}, 100);

const STEP = Math.min(MILLION, TOTAL);
for (let stored = 0; stored < TOTAL; stored += STEP) {
  const [startedMs, before] = [performance.now(), await status()];
  longestPingMs = 0;
  let left = STEP / BATCH;
  const writer = async () => {
    while (left-- > 0) await insertBatch();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, writer));
  const [seconds, after] = [(performance.now() - startedMs) / 1000, await status()];
  console.log(
    `${(stored + STEP) / MILLION} million: ${Math.round(STEP / seconds)}/s, ${((after.cpuMicros - before.cpuMicros) / STEP).toFixed(0)} µs CPU each, RSS ${mib(after.rssBytes)}, data ${mib(after.dataBytes)}, log ${mib(after.walBytes)}, longest ping ${Math.round(longestPingMs)} ms`,
  );
}
clearInterval(pinging);

for (const how of ["killed", "stopped"] as const) {
  const restarted = await restart({ server, client }, dir, how);
  ({ server, client } = restarted);
  const count = await collections().messages.estimatedDocumentCount();
  console.log(`start after being ${how}, ${count} messages: ${restarted.seconds.toFixed(2)} s`);
  if (count !== TOTAL) throw new Error(`${TOTAL - count} messages are gone`);
}

const { messages, entries } = collections();
const show = (what: string, ms: readonly number[]) =>
  console.log(
    `${what}: p50 ${percentile([...ms], 50).toFixed(2)}, p99 ${percentile([...ms], 99).toFixed(2)} ms`,
  );
const last50 = (channelId: ObjectId | undefined, below: number) =>
  messages
    .find({ channelId, seq: { $lt: below } })
    .sort({ seq: -1 })
    .limit(50)
    .toArray();
show("last 50 of a channel, any", await latencies(3_000, () => last50(channels[skewed(CHANNELS)], 2 ** 31)));
show(
  "50 anywhere in a channel",
  await latencies(3_000, () => last50(channels[skewed(CHANNELS)], Math.random() * seqs[0]!)),
);
show("last 50 of the busiest channel", await latencies(3_000, () => last50(channels[0], 2 ** 31)));
show(
  "search of a word in a channel, newest 20",
  await latencies(3_000, async () => {
    const found = await entries
      .find({ channelId: channels[skewed(CHANNELS)], tokens: word() }, { projection: { _id: 1 } })
      .sort({ _id: -1 })
      .limit(20)
      .toArray();
    return messages.find({ _id: { $in: found.map(({ _id }) => _id) } }).toArray();
  }),
);
const { rssBytes, dataBytes } = await status();
console.log(
  `RSS ${mib(rssBytes)}, data ${mib(dataBytes)}, ${Math.round(dataBytes / TOTAL)} bytes a message with its entry`,
);
await client.close();
await server.stop();
fs.rmSync(dir, { recursive: true });
