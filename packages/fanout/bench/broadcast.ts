import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { CANDIDATES, type Candidate, type FromReceiver, type FromServer } from "./protocol.ts";
import { type Figures, printTable, summarise } from "./table.ts";

/**
 * Compares ways to broadcast, all in one run: each candidate has its own server and its own receiver process, all
 * connected at the same time, and they take turns, so that what else the machine does hits all of them alike.
 *
 *   node bench/broadcast.ts --users 1000,5000,10000 --rounds 15 [--only default,sliced] [--json]
 */

interface Contestant {
  readonly name: Candidate;
  readonly server: ChildProcess;
  readonly receiver: ChildProcess;
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

function next<T extends { kind: string }, K extends T["kind"]>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<T, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const onExit = (): void =>
      reject(new Error(`a process of the benchmark ended while "${kind}" was awaited`));
    child.once("exit", onExit);
    const onMessage = (message: T): void => {
      if (message.kind !== kind) return;
      child.off("message", onMessage);
      child.off("exit", onExit);
      resolve(message as Extract<T, { kind: K }>);
    };
    child.on("message", onMessage);
  });
}

async function enter(name: Candidate, users: number, network: number): Promise<Contestant> {
  const server = fork(new URL("./server.ts", import.meta.url), [name]);
  const { port } = await next<FromServer, "listening">(server, "listening");
  const receiver = fork(new URL("./receiver.ts", import.meta.url));
  const ready = next<FromReceiver, "ready">(receiver, "ready");
  receiver.send({ kind: "connect", port, sockets: users, network });
  await ready;
  return { name, server, receiver, figures: { cold: [], warm: [], bursts: new Map() } };
}

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

async function leave({ server, receiver }: Contestant): Promise<void> {
  const ended = [once(server, "exit"), once(receiver, "exit")];
  receiver.disconnect();
  server.disconnect();
  await Promise.all(ended);
}

async function compare(users: number, rounds: number, names: readonly Candidate[]): Promise<void> {
  const contestants: Contestant[] = [];
  for (const [i, name] of names.entries()) contestants.push(await enter(name, users, FIRST_NETWORK + i));
  await sleep(1000);
  for (let i = 0; i < rounds; i++) {
    const order = i % 2 === 0 ? contestants : contestants.toReversed();
    // Bursts take long without coalescing: a third of the rounds is enough for them.
    for (const contestant of order) await round(contestant, i % 3 === 1);
  }
  const rows = contestants.map(({ name, figures }) => summarise(name, users, figures));
  if (values.json) console.log(JSON.stringify({ users, rounds, rows }));
  else printTable(users, rows);
  for (const contestant of contestants) await leave(contestant);
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
