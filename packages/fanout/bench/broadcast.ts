import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectAll, end, next, type Pair, start } from "./processes.ts";
import { CANDIDATES, type Candidate, type FromReceiver, type FromServer } from "./protocol.ts";
import { type Figures, printTable, summarize } from "./table.ts";

/**
 * Compares broadcast implementations in one run. Each candidate has its own server and receiver process; all stay connected, and
 * rounds alternate between them, so that other load on the machine affects all equally.
 *
 *   node bench/broadcast.ts --users 1000,5000,10000 --rounds 15 [--only default,sliced] [--json]
 */

interface Contestant extends Pair {
  readonly name: Candidate;
  readonly figures: Figures;
}

const SETTLE_MS = 100;
const FIRST_NETWORK = 10;
const BURSTS = [20, 100];

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "1000,5000,10000" },
    rounds: { type: "string", default: "15" },
    only: { type: "string", default: Object.keys(CANDIDATES).join(",") },
    json: { type: "boolean", default: false },
  },
});

async function measure({ server, receiver }: Contestant, messages: number) {
  const expecting = next<FromReceiver, "expecting">(receiver, "expecting");
  receiver.send({ kind: "expect", messages });
  await expecting;
  const started = next<FromServer, "started">(server, "started");
  const complete = next<FromReceiver, "complete">(receiver, "complete");
  server.send({ kind: "broadcast", messages });
  const allAfterMs = Number(BigInt((await complete).at) - BigInt((await started).at)) / 1e6;
  const report = next<FromServer, "report">(server, "report");
  server.send({ kind: "report" });
  const { cpuMs, longestBlockMs, rssBytes } = await report;
  await sleep(SETTLE_MS);
  return { allAfterMs, cpuMs, longestBlockMs, rssBytes };
}

async function round(contestant: Contestant, withBursts: boolean): Promise<void> {
  const { figures } = contestant;
  figures.cold.push(await measure(contestant, 1));
  figures.warm.push(await measure(contestant, 1));
  if (!withBursts) return;
  for (const size of BURSTS) {
    const samples = figures.bursts.get(size) ?? [];
    figures.bursts.set(size, [...samples, await measure(contestant, size)]);
  }
}

async function compare(users: number, rounds: number, names: readonly Candidate[]): Promise<void> {
  const contestants: Contestant[] = [];
  for (const [i, name] of names.entries()) {
    const pair = await start(name);
    await connectAll(pair, users, FIRST_NETWORK + i);
    contestants.push({ name, ...pair, figures: { cold: [], warm: [], bursts: new Map() } });
  }
  await sleep(1000);
  for (let i = 0; i < rounds; i++) {
    const order = i % 2 === 0 ? contestants : contestants.toReversed();
    // Bursts are slow without coalescing, so only a third of the rounds have one.
    for (const contestant of order) await round(contestant, i % 3 === 1);
  }
  const rows = contestants.map(({ name, figures }) => summarize(name, users, figures));
  if (values.json) console.log(JSON.stringify({ users, rounds, rows }));
  else printTable(users, rows);
  for (const contestant of contestants) await end(contestant);
}

if (!values.json) {
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}, ${values.rounds} rounds, medians.`,
  );
  for (const [name, what] of Object.entries(CANDIDATES)) console.log(`  ${name.padEnd(10)} ${what}`);
}
for (const users of values.users.split(",")) {
  await compare(Number(users), Number(values.rounds), values.only.split(",") as Candidate[]);
}
