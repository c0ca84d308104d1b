import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { next } from "../processes.ts";
import type { FromReceiver } from "../protocol.ts";
import { type Broker, cpuMs, startBroker, stopBroker } from "./brokers.ts";
import { brokerOf, CANDIDATES, type Candidate, type FromGateway, type FromPublisher } from "./protocol.ts";
import { median, printTable, type Row } from "../table.ts";

/**
 * Compares cluster adapters: two gateways share the sockets, a third one has sockets in another room, and the publisher is a separate
 * process. Rounds alternate between the candidates.
 *
 *   node bench/cluster/main.ts --users 1000,10000 --rounds 9 [--only fanout,redis-adapter] [--from gateway]
 *
 * With `--from gateway`, the first gateway publishes instead of the publisher.
 */

interface Sample {
  /** From the publisher's call until every receiver has read the message. */
  allAfterMs: number;
  /** CPU time of both gateways, the publisher and the broker. */
  cpuMs: number;
}

interface Contestant {
  readonly name: Candidate;
  readonly gateways: readonly ChildProcess[];
  readonly idle: ChildProcess;
  readonly publisher: ChildProcess;
  /** One for each gateway. */
  readonly receivers: readonly ChildProcess[];
  readonly idleReceiver: ChildProcess;
  readonly broker: Broker;
  readonly single: Sample[];
  readonly bursts: Sample[];
}

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "1000,10000" },
    rounds: { type: "string", default: "9" },
    from: { type: "string", default: "publisher" },
    burst: { type: "string", default: "20" },
    only: { type: "string", default: Object.keys(CANDIDATES).join(",") },
  },
});

const FIRST_NETWORK = 40;
const SETTLE_MS = 150;
const AT_IDLE_GATEWAY = 10;
const burst = Number(values.burst);

async function startGateway(name: Candidate, broker: Broker, ...more: string[]) {
  const gateway = fork(new URL("./gateway.ts", import.meta.url), [name, broker.url, ...more]);
  const { port } = await next<FromGateway, "listening">(gateway, "listening");
  return { gateway, port };
}

async function start(name: Candidate, users: number, network: number): Promise<Contestant> {
  const broker = await startBroker(brokerOf(name));
  const first = await startGateway(name, broker);
  const second = await startGateway(name, broker);
  const idle = await startGateway(name, broker, "other");
  const publisher = fork(new URL("./publisher.ts", import.meta.url), [name, broker.url]);
  await next<FromPublisher, "connected">(publisher, "connected");
  const receivers = [
    await startReceiver(first.port, users / 2, network),
    await startReceiver(second.port, users / 2, network + 1),
  ];
  const idleReceiver = await startReceiver(idle.port, AT_IDLE_GATEWAY, network + 2);
  const gateways = [first.gateway, second.gateway];
  return {
    name,
    gateways,
    idle: idle.gateway,
    publisher,
    receivers,
    idleReceiver,
    broker,
    single: [],
    bursts: [],
  };
}

async function startReceiver(port: number, sockets: number, network: number): Promise<ChildProcess> {
  const receiver = fork(new URL("../receiver.ts", import.meta.url));
  const ready = next<FromReceiver, "ready">(receiver, "ready");
  receiver.send({ kind: "connect", port, sockets, network });
  await ready;
  return receiver;
}

async function measure(
  { gateways, publisher, receivers, broker }: Contestant,
  messages: number,
): Promise<Sample> {
  const processes = [...gateways, publisher, broker.process].map(({ pid }) => pid!);
  await Promise.all(
    receivers.map((receiver) => {
      const expecting = next<FromReceiver, "expecting">(receiver, "expecting");
      receiver.send({ kind: "expect", messages });
      return expecting;
    }),
  );
  const before = processes.map(cpuMs);
  const from = values.from === "gateway" ? gateways[0]! : publisher;
  const started = next<FromPublisher, "started">(from, "started");
  const complete = Promise.all(
    receivers.map((receiver) => next<FromReceiver, "complete">(receiver, "complete")),
  );
  from.send({ kind: "publish", messages });
  const startedAt = BigInt((await started).at);
  const times = (await complete).map(({ at }) => Number(BigInt(at) - startedAt) / 1e6);
  const allAfterMs = Math.max(...times);
  const cpu = processes.reduce((sum, pid, i) => sum + cpuMs(pid) - before[i]!, 0);
  await sleep(SETTLE_MS);
  return { allAfterMs, cpuMs: cpu };
}

async function messagesWithoutMembers({ idle }: Contestant): Promise<number> {
  const count = next<FromGateway, "count">(idle, "count");
  idle.send({ kind: "count" });
  return (await count).messages;
}

async function end(contestant: Contestant): Promise<void> {
  const { gateways, idle, publisher, receivers, idleReceiver, broker } = contestant;
  // Receivers first, because they fail if their connections are closed.
  const processes = [...receivers, idleReceiver, publisher, idle, ...gateways];
  const ended = processes.map((process) => once(process, "exit"));
  for (const process of processes) process.disconnect();
  await Promise.all(ended);
  await stopBroker(broker);
}

async function compare(users: number, names: readonly Candidate[]): Promise<void> {
  const contestants: Contestant[] = [];
  for (const [i, name] of names.entries()) contestants.push(await start(name, users, FIRST_NETWORK + 3 * i));
  await sleep(1000);
  for (const contestant of contestants) await measure(contestant, burst);
  for (let round = 0; round < Number(values.rounds); round++) {
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const contestant of order) {
      await measure(contestant, 1);
      contestant.single.push(await measure(contestant, 1));
      if (round % 3 === 1) contestant.bursts.push(await measure(contestant, burst));
    }
  }
  const rows: Record<string, Row> = {};
  for (const contestant of contestants) rows[contestant.name] = await rowOf(contestant, users);
  printTable(`${users} sockets at two gateways`, rows, "redis-adapter");
  for (const contestant of contestants) await end(contestant);
}

async function rowOf(contestant: Contestant, users: number): Promise<Row> {
  const { single, bursts } = contestant;
  const of = (samples: readonly Sample[], field: keyof Sample) => median(samples.map((one) => one[field]));
  const burstMs = of(bursts, "allAfterMs");
  return {
    "one message, ms until all have it": of(single, "allAfterMs"),
    "cpu ms": of(single, "cpuMs"),
    [`burst of ${burst}, ms`]: burstMs,
    "deliveries/s": (burst * users * 1000) / burstMs,
    "burst, cpu ms": of(bursts, "cpuMs"),
    "messages at a gateway without members": await messagesWithoutMembers(contestant),
  };
}

const [processor] = cpus();
console.log(
  `Node ${process.version}, ${cpus().length} × ${processor?.model}, ${values.rounds} rounds, medians.`,
);
for (const [name, what] of Object.entries(CANDIDATES)) console.log(`  ${name.padEnd(14)} ${what}`);
for (const users of values.users.split(","))
  await compare(Number(users), values.only.split(",") as Candidate[]);
