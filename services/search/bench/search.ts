// How long searches take in a channel of many messages, and what its index costs in memory (embedded database).
// node services/search/bench/search.ts [--messages 200000]
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newId, startSearchNode } from "../test/search-node.ts";

const { values } = parseArgs({ options: { messages: { type: "string", default: "200000" } } });
const wanted = Number(values.messages);
const WORDS = 20_000;
const WORDS_PER_MESSAGE = 10;
const ROUNDS = 30;

/** As in a language: the n-th word is n times rarer than the first. */
function word(): string {
  return `word${Math.floor(WORDS ** Math.random())}`;
}

const dir = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
const node = await startSearchNode({ DATA_DIR: dir });
const [searcher, channelId, small] = ["a".repeat(24), newId(), newId()];
node.sees.set(searcher, new Set([channelId, small]));

async function bytesOfIndex(): Promise<number> {
  const stats = await node.node.database.db!.command({ collStats: "searchEntries" });
  return Number(stats["size"] ?? 0) + Number(stats["totalIndexSize"] ?? 0);
}

async function measure(title: string, params: object): Promise<void> {
  const times: number[] = [];
  let found = 0;
  for (let i = 0; i < ROUNDS; i++) {
    const began = performance.now();
    const page = await node.as(searcher, "message.search", { channelId, ...params });
    times.push(performance.now() - began);
    found = page.messages.length;
  }
  times.sort((a, b) => a - b);
  console.log(
    `  ${title}: p50 ${times[ROUNDS >> 1]!.toFixed(1)} p100 ${times.at(-1)!.toFixed(1)} ms, ${found} found`,
  );
}

try {
  let count = 0;
  for (const size of [wanted / 100, wanted / 10, wanted].map(Math.floor)) {
    const began = performance.now();
    const before = count;
    while (count < size) {
      for (let i = 0; i < 5000 && count < size; i++, count++) {
        const text = Array.from({ length: WORDS_PER_MESSAGE }, word).join(" ");
        node.write(channelId, count === 7 ? `needle ${text}` : text);
      }
      await node.as(searcher, "message.search", { channelId, text: "needle" });
      // The log of the test is a list: a real one is read by an index.
      node.logs.get(channelId)!.splice(0, Math.max(0, node.logs.get(channelId)!.length - 5000));
    }
    const rate = Math.round((count - before) / ((performance.now() - began) / 1000));
    const bytes = Math.round((await bytesOfIndex()) / count);
    console.log(`${count} messages; ${rate}/s indexed; ${bytes} bytes per message in the database`);
    await measure("a common word", { text: "word1" });
    await measure("a rare word", { text: `word${WORDS - 5}` });
    await measure("two common words", { text: "word1 word2" });
    await measure("a common and a rare word", { text: `word1 word${WORDS - 5}` });
    await measure("a common word in the whole group", {
      text: "word1",
      channelId: undefined,
      groupId: "f".repeat(24),
    });
  }
} finally {
  await node.stop();
  await rm(dir, { recursive: true });
}
