// Measures the cost of indexing new messages, depending on the number of channels: CPU time of this process per message,
// without the embedded database and the logs, which are in memory.
//   node services/search/bench/indexing.ts
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createEntries } from "../src/entries.ts";
import { Indexer } from "../src/indexer.ts";
import { createProgressRepository } from "../src/progress.repository.ts";
import { newId, startSearchNode } from "../test/search-node.ts";

const MESSAGES = 10_000;
const ROUNDS = 3;
const words = Array.from({ length: 12 }, (_, i) => `word${i * 7}`).join(" ");

const dir = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
const search = await startSearchNode({ DATA_DIR: dir });
const { node } = search;
const entries = createEntries(node);
const progress = createProgressRepository(node.database)(entries.version);

async function indexAll(channels: number): Promise<number> {
  const channelIds = Array.from({ length: channels }, () => newId());
  for (let i = 0; i < MESSAGES; i++) search.write(channelIds[i % channels]!, `${words} ${i}`);
  const pause = async (): Promise<void> => undefined;
  const indexer = new Indexer({
    entries,
    progress,
    services: node.services,
    logger: node.logger,
    indexAfterMs: 0,
    pause,
  });
  const cpu = process.cpuUsage();
  for (const channelId of channelIds) indexer.hint(channelId);
  await delay(1);
  const isDone = async (): Promise<boolean> =>
    [...(await progress.find(channelIds)).values()].reduce((sum, { rev }) => sum + rev, 0) === MESSAGES;
  while (!(await isDone())) await delay(200);
  const { user, system } = process.cpuUsage(cpu);
  await indexer.close();
  return (user + system) / MESSAGES;
}

try {
  for (const channels of [1, 100, 5000]) {
    const figures: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) figures.push(await indexAll(channels));
    const best = Math.min(...figures.slice(1));
    console.log(`${MESSAGES} messages in ${channels} channels: ${best.toFixed(1)} µs of CPU per message`);
  }
} finally {
  await search.stop();
  await rm(dir, { recursive: true });
}
