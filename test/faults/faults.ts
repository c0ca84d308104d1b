import { setTimeout as delay } from "node:timers/promises";
import type { ServerProcess, TcpProxy } from "@fanfare/testing";
import type { Cluster, ClusterNode } from "../support/cluster.ts";
import type { Random } from "./random.ts";
import type { Supervisor } from "./supervisor.ts";

export interface Fault {
  kind: string;
  /** What exactly, for the log. */
  target: string;
  /** Causes the fault, and resolves when allProcesses is repaired. */
  run(): Promise<void>;
}

export interface FaultSettings {
  freezeMs: number;
  cutMs: { from: number; to: number };
  holdMs: { from: number; to: number };
}

interface Surroundings {
  cluster: Cluster;
  supervisor: Supervisor;
  random: Random;
  settings: FaultSettings;
}

type MakeFault = (surroundings: Surroundings) => Omit<Fault, "kind">;

interface FaultKind {
  make: MakeFault;
  /** How often it occurs in one round of all kinds; slow ones occur less often. */
  timesPerRound: number;
}

const SECOND_WITHIN_MS = 3000;

const SERVERS: Record<string, (cluster: Cluster) => readonly ServerProcess[]> = {
  gateway: ({ gateways }) => gateways.map(({ process }) => process),
  worker: ({ workers }) => workers.map(({ process }) => process),
  nats: ({ nats }) => [nats],
  redis: ({ redis }) => [redis],
  database: ({ database }) => [database],
};

const LINKS: Record<string, { of: "gateways" | "workers"; to: keyof ClusterNode["links"] }> = {
  "gateway-nats": { of: "gateways", to: "nats" },
  "gateway-redis": { of: "gateways", to: "redis" },
  "gateway-clients": { of: "gateways", to: "clients" },
  "worker-nats": { of: "workers", to: "nats" },
  "worker-redis": { of: "workers", to: "redis" },
  "worker-database": { of: "workers", to: "database" },
};

const KINDS = new Map<string, FaultKind>();
for (const [name, servers] of Object.entries(SERVERS)) {
  KINDS.set(`kill ${name}`, { make: kill(servers), timesPerRound: 3 });
  if (name === "gateway" || name === "worker")
    KINDS.set(`stop ${name}`, { make: stop(servers), timesPerRound: 1 });
  KINDS.set(`freeze ${name}`, { make: freeze(servers), timesPerRound: 1 });
}
for (const [name, link] of Object.entries(LINKS)) {
  KINDS.set(`cut ${name}`, { make: onLink(link, cut), timesPerRound: 2 });
  KINDS.set(`hold ${name}`, { make: onLink(link, hold), timesPerRound: 1 });
}

const SINGLE = [...KINDS.keys()].filter((name) => !name.startsWith("freeze"));
KINDS.set("several: two faults", { make: twoFaults, timesPerRound: 6 });
KINDS.set("several: all gateways", { make: killAll(SERVERS["gateway"]!), timesPerRound: 1 });
KINDS.set("several: all workers", { make: killAll(SERVERS["worker"]!), timesPerRound: 1 });
KINDS.set("several: allProcesses", { make: killAll(allProcesses), timesPerRound: 1 });

/**
 * The kinds whose name contains one of `only`; all if it is empty.
 * @throws {Error} if none matches
 */
export function kindsLike(only: readonly string[]): string[] {
  const names = [...KINDS.keys()].filter(
    (name) => only.length === 0 || only.some((part) => name.includes(part)),
  );
  if (names.length > 0) return names;
  throw new Error(`No kind of fault matches ${only.join(" or ")}. Kinds: ${[...KINDS.keys()].join(", ")}.`);
}

export function makeFault(kind: string, surroundings: Surroundings): Fault {
  return { kind, ...KINDS.get(kind)!.make(surroundings) };
}

/** One round of faults in random order, each kind `timesPerRound` times. */
export function roundOf(kinds: readonly string[], random: Random): string[] {
  return random.shuffle(kinds.flatMap((kind) => Array<string>(KINDS.get(kind)!.timesPerRound).fill(kind)));
}

function kill(servers: (cluster: Cluster) => readonly ServerProcess[]): MakeFault {
  return ({ cluster, random, supervisor }) => {
    const server = random.pick(servers(cluster));
    return {
      target: server.name,
      async run() {
        await server.kill();
        await supervisor.running(server);
      },
    };
  };
}

/** A graceful stop, as for an update. */
function stop(servers: (cluster: Cluster) => readonly ServerProcess[]): MakeFault {
  return ({ cluster, random, supervisor }) => {
    const server = random.pick(servers(cluster));
    return {
      target: server.name,
      async run() {
        await server.stop();
        await supervisor.running(server);
      },
    };
  };
}

function allProcesses(cluster: Cluster): ServerProcess[] {
  return Object.values(SERVERS).flatMap((servers) => servers(cluster));
}

function killAll(servers: (cluster: Cluster) => readonly ServerProcess[]): MakeFault {
  return ({ cluster, supervisor }) => ({
    target: servers(cluster)
      .map(({ name }) => name)
      .join(", "),
    async run() {
      await Promise.all(servers(cluster).map((server) => server.kill()));
      await Promise.all(servers(cluster).map((server) => supervisor.running(server)));
    },
  });
}

/** The second fault while the first is present or being repaired. */
function twoFaults(surroundings: Surroundings): Omit<Fault, "kind"> {
  const { random } = surroundings;
  const whereOf = (kind: string): string => kind.split(" ")[1]!;
  const first = makeFault(random.pick(SINGLE), surroundings);
  const elsewhere = SINGLE.filter((kind) => whereOf(kind) !== whereOf(first.kind));
  const second = makeFault(random.pick(elsewhere), surroundings);
  const laterMs = random.between(0, SECOND_WITHIN_MS);
  return {
    target: `${first.kind} (${first.target}), then ${second.kind} (${second.target})`,
    async run() {
      await Promise.all([first.run(), delay(laterMs).then(() => second.run())]);
    },
  };
}

function freeze(servers: (cluster: Cluster) => readonly ServerProcess[]): MakeFault {
  return ({ cluster, random, settings }) => {
    const server = random.pick(servers(cluster));
    return {
      target: server.name,
      async run() {
        server.freeze();
        await delay(settings.freezeMs);
        server.thaw();
      },
    };
  };
}

type LinkFault = (proxy: TcpProxy, surroundings: Surroundings) => () => Promise<void>;

function onLink(link: (typeof LINKS)[string], fault: LinkFault): MakeFault {
  return (surroundings) => {
    const node = surroundings.random.pick(surroundings.cluster[link.of]);
    const proxy = node.links[link.to];
    if (proxy === undefined) throw new Error(`${node.process.name} has no link to ${link.to}.`);
    return { target: `${node.process.name} – ${link.to}`, run: fault(proxy, surroundings) };
  };
}

function cut(proxy: TcpProxy, { random, settings }: Surroundings): () => Promise<void> {
  const ms = random.between(settings.cutMs.from, settings.cutMs.to);
  return async () => {
    await proxy.cut();
    await delay(ms);
    await proxy.restore();
  };
}

function hold(proxy: TcpProxy, { random, settings }: Surroundings): () => Promise<void> {
  const ms = random.between(settings.holdMs.from, settings.holdMs.to);
  return async () => {
    proxy.hold();
    await delay(ms);
    await proxy.restore();
  };
}
