import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectAll, end, next, type Pair, start } from "./processes.ts";
import { CANDIDATES, type Candidate, type FromServer } from "./protocol.ts";

/**
 * Measures resident memory per idle connection, each in a shared room and in a room of one.
 *
 *   node bench/memory.ts --users 10000 [--only default,slim]
 */

const SETTLE_MS = 2000;
const NETWORK = 30;

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "10000" },
    only: { type: "string", default: "default,sliced,slim" },
  },
});
const users = Number(values.users);

async function rss({ server }: Pair): Promise<number> {
  const report = next<FromServer, "report">(server, "report");
  server.send({ kind: "report" });
  return (await report).rssBytes;
}

for (const candidate of values.only.split(",") as Candidate[]) {
  const pair = await start(candidate);
  const before = await rss(pair);
  await connectAll(pair, users, NETWORK);
  await sleep(SETTLE_MS);
  const perConnection = (await rss(pair)) - before;
  console.log(
    `${candidate.padEnd(10)} ${(perConnection / users / 1024).toFixed(1).padStart(5)} KiB  ${CANDIDATES[candidate]}`,
  );
  await end(pair);
}
