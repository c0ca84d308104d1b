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
/** Low numbers are much more frequent, like real channels and words. */
const skewed = (count: number): number => Math.floor(count * Math.random() ** 3);
const word = (): string => `word${skewed(WORDS)}`;

const collections = () => {
  const db = client.db("bench");
  return { db, messages: db.collection("messages") };
};

async function insertBatch(): Promise<void> {
  const { db, messages } = collections();
  const [documents, entries] = [[] as object[], [] as object[]];
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
    entries.push({ _id, place: channelId, rev: seq, tokens: [...new Set(tokens)] });
  }
  await Promise.all([
    messages.insertMany(documents, { ordered: false, writeConcern: { w: 1, j: true } }),
    db.command({ fanfareSearchPut: "entries", entries, deleted: [], writeConcern: { w: 1, j: true } }),
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
  const { messages } = collections();
  await messages.createIndexes([
    { key: { channelId: 1, seq: 1 }, unique: true },
    { key: { channelId: 1, revs: 1 }, unique: true },
    { key: { channelId: 1, authorId: 1, nonce: 1 }, unique: true },
    { key: { channelId: 1, rev: 1 } },
  ]);
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
  if (count !== TOTAL) throw new Error(`${TOTAL - count} messages are missing`);
}

const { db, messages } = collections();
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

const [below, from] = [new ObjectId("f".repeat(24)), new ObjectId("0".repeat(24))];
async function search(places: readonly unknown[], words: readonly object[]): Promise<unknown> {
  const query = { places, words, below, from, limit: 20 };
  const { ids } = await db.command({ fanfareSearchFind: "entries", ...query });
  return messages.find({ _id: { $in: ids as ObjectId[] } }).toArray();
}
const exact = () => ({ tokens: [word()] });
/** About 110 of the 50,000 words start with each prefix. */
const beginning = () => ({ tokens: [], prefix: `word${skewed(WORDS)}`.slice(0, 7) });
const channel = () => [channels[skewed(CHANNELS)]];
show("a word in a channel, newest 20", await latencies(3_000, () => search(channel(), [exact()])));
show("two words in a channel", await latencies(3_000, () => search(channel(), [exact(), exact()])));
show("the beginning of a word in a channel", await latencies(3_000, () => search(channel(), [beginning()])));
const group = channels.slice(0, 100);
show("a word in the 100 busiest channels", await latencies(1_000, () => search(group, [exact()])));
const { rssBytes, dataBytes } = await status();
console.log(
  `RSS ${mib(rssBytes)}, data ${mib(dataBytes)}, ${Math.round(dataBytes / TOTAL)} bytes per message with its search entry`,
);
await client.close();
await server.stop();
fs.rmSync(dir, { recursive: true });
