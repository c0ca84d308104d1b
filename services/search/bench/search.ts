// Measures the duration of searches in a growing channel, and the size of its index (embedded database).
//   node services/search/bench/search.ts [--messages 1000000]
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newId, startSearchNode } from "../test/search-node.ts";

const { values } = parseArgs({ options: { messages: { type: "string", default: "1000000" } } });
const wanted = Number(values.messages);
const WORDS = 20_000;
const WORDS_PER_MESSAGE = 10;
const ROUNDS = 200;
/** Messages between two searches, which also index them. */
const BATCH = 5000;

/** Zipf distribution, as in natural languages: the n-th word is n times rarer than the first. */
function word(): string {
  return `word${Math.floor(WORDS ** Math.random())}`;
}

const dir = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
const node = await startSearchNode({ DATA_DIR: dir });
const [searcher, channelId, small] = ["a".repeat(24), newId(), newId()];
node.sees.set(searcher, new Set([channelId, small]));

/** The messages themselves are not in this database. */
async function bytesOfIndex(): Promise<number> {
  const { fanfare } = await node.node.database.db!.command({ serverStatus: 1 });
  return (fanfare as { dataBytes: number }).dataBytes;
}

const searches: Record<string, object> = {
  "a common word": { text: "word1" },
  "a rare word": { text: `word${WORDS - 5}` },
  "two common words": { text: "word1 word2" },
  "the beginning of a rare word": { text: `word${WORDS - 5}`.slice(0, -1) },
  "a common and a rare word": { text: `word1 word${WORDS - 5}` },
  "a common word in the whole group": { text: "word1", channelId: undefined, groupId: "f".repeat(24) },
};

/** Microseconds per sequential search: the median and the 99th percentile. */
async function measure(params: object): Promise<string> {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const began = performance.now();
    await node.as(searcher, "message.search", { channelId, ...params });
    times.push((performance.now() - began) * 1000);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => Math.round(times[Math.floor(ROUNDS * share)]!);
  return `${at(0.5)} / ${at(0.99)}`;
}

async function fill(from: number, to: number): Promise<void> {
  for (let count = from; count < to;) {
    for (let i = 0; i < BATCH && count < to; i++, count++)
      node.write(channelId, Array.from({ length: WORDS_PER_MESSAGE }, word).join(" "));
    await node.as(searcher, "message.search", { channelId, text: "word1" });
    // The log in this test is a list, while a real one is read by an index.
    const log = node.logs.get(channelId)!;
    log.splice(0, Math.max(0, log.length - BATCH));
  }
}

try {
  const sizes = [1000, 100, 10, 1].map((part) => Math.floor(wanted / part));
  const rows = new Map<string, Record<string, string>>();
  const note = (row: string, size: number, value: string): void => {
    rows.set(row, { ...rows.get(row), [`${size} messages`]: value });
  };
  let before = 0;
  for (const size of sizes) {
    const began = performance.now();
    await fill(before, size);
    note("indexed per second", size, `${Math.round((size - before) / ((performance.now() - began) / 1000))}`);
    note("bytes per message", size, `${Math.round((await bytesOfIndex()) / size)}`);
    for (const [title, params] of Object.entries(searches)) note(title, size, await measure(params));
    before = size;
  }
  console.log("Microseconds per search, p50 / p99:");
  console.table(Object.fromEntries(rows));
} finally {
  await node.stop();
  await rm(dir, { recursive: true });
}
