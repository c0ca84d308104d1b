import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectAll, end, next, type Pair, start } from "./processes.ts";
import { CANDIDATES, type Candidate, type FromReceiver, type FromServer } from "./protocol.ts";
import { median, printTable, type Row } from "./table.ts";

/**
 * Compares broadcast implementations in one run. Each candidate has its own server and receiver process; all stay connected, and
 * rounds alternate between them, so that other load on the machine affects all equally.
 *
 *   node bench/broadcast.ts --users 1000,5000,10000 --rounds 15 [--only default,sliced]
 */

type Sample = Awaited<ReturnType<typeof measure>>;

interface Contestant extends Pair {
  readonly name: Candidate;
  /** The first broadcast after the other candidates' rounds. */
  readonly cold: Sample[];
  /** The broadcast after that. */
  readonly warm: Sample[];
  /** By their size. */
  readonly bursts: Map<number, Sample[]>;
}

const SETTLE_MS = 100;
const FIRST_NETWORK = 10;
const BURSTS = [20, 100];

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "1000,5000,10000" },
    rounds: { type: "string", default: "15" },
    only: { type: "string", default: Object.keys(CANDIDATES).join(",") },
  },
});

/** `allAfterMs`: from the broadcast until every receiver has read it. */
async function measure({ server, receiver }: Pair, messages: number) {
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
  const { cold, warm, bursts } = contestant;
  cold.push(await measure(contestant, 1));
  warm.push(await measure(contestant, 1));
  if (!withBursts) return;
  for (const size of BURSTS) bursts.set(size, [...(bursts.get(size) ?? []), await measure(contestant, size)]);
}

async function compare(users: number, rounds: number, names: readonly Candidate[]): Promise<void> {
  const contestants: Contestant[] = [];
  for (const [i, name] of names.entries()) {
    const pair = await start(name);
    await connectAll(pair, users, FIRST_NETWORK + i);
    contestants.push({ name, ...pair, cold: [], warm: [], bursts: new Map() });
  }
  await sleep(1000);
  for (let i = 0; i < rounds; i++) {
    const order = i % 2 === 0 ? contestants : contestants.toReversed();
    // Bursts are slow without coalescing, so only a third of the rounds have one.
    for (const contestant of order) await round(contestant, i % 3 === 1);
  }
  const rows = Object.fromEntries(
    contestants.map((contestant) => [contestant.name, rowOf(contestant, users)]),
  );
  printTable(`${users} sockets: time until all have it`, rows, "default");
  for (const contestant of contestants) await end(contestant);
}

function rowOf({ cold, warm, bursts }: Contestant, users: number): Row {
  const of = (samples: readonly Sample[], field: keyof Sample) => median(samples.map((one) => one[field]));
  const row: Row = {
    "warm ms": of(warm, "allAfterMs"),
    "cold ms": of(cold, "allAfterMs"),
    "cpu ms": of(warm, "cpuMs"),
    "block ms": of(warm, "longestBlockMs"),
    "RSS MiB": of(warm, "rssBytes") / 1_048_576,
  };
  for (const [size, samples] of bursts) {
    row[`${size} in a burst, ms`] = of(samples, "allAfterMs");
    row[`${size}: deliveries/cpu-s`] = (size * users * 1000) / of(samples, "cpuMs");
    row[`${size}: block ms`] = of(samples, "longestBlockMs");
  }
  return row;
}

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}, ${values.rounds} rounds, medians.`,
);
for (const [name, what] of Object.entries(CANDIDATES)) console.log(`  ${name.padEnd(10)} ${what}`);
for (const users of values.users.split(",")) {
  await compare(Number(users), Number(values.rounds), values.only.split(",") as Candidate[]);
}
