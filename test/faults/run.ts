import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster } from "../support/cluster.ts";
import { Chatter } from "./chatter.ts";
import { check, type Findings } from "./check.ts";
import { Crowd } from "./crowd.ts";
import { makeFault, roundOf, type Fault, type FaultSettings } from "./faults.ts";
import { uncaughtErrors } from "./logs.ts";
import { MemoryWatch } from "./memory.ts";
import { PresenceWatch } from "./presence.ts";
import { Random } from "./random.ts";
import type { FaultResult, Report } from "./report.ts";
import { ServiceWatch, StuckError } from "./service-watch.ts";
import { Supervisor } from "./supervisor.ts";
import { Truth } from "./truth.ts";
import { Rejoiner } from "./rejoiner.ts";

export interface RunOptions {
  seed: number;
  kinds: readonly string[];
  settings: FaultSettings;
  /** New faults begin until this time is over, slow ones less often; or this many, each kind equally often. */
  until: { minutes: number } | { faults: number };
  /** Called for every fault that was survived, and for every check. */
  onProgress: (line: string) => void;
}

const MEMBERS = 8;
const FAULTS_PER_CHECK = 10;
const LONGEST_PAUSE_MS = 1500;

/** Starts a cluster, injects faults while members write, and reports whether every guarantee held. */
export async function runFaults({ seed, kinds, settings, until, onProgress }: RunOptions): Promise<Report> {
  const beganMs = performance.now();
  const random = new Random(seed);
  const folder = await mkdtemp(join(tmpdir(), "fanfare-faults-"));
  const cluster = await startCluster({ folder, gateways: 2, workers: 2 });
  const { nats, redis, database, gateways, workers } = cluster;
  const servers = [nats, redis, database, ...[...gateways, ...workers].map((node) => node.process)];
  const memory = new MemoryWatch(servers);
  const supervisor = new Supervisor(servers, random);
  const truth = await Truth.open(database.url);
  const crowd = new Crowd(cluster, MEMBERS);
  const chatter = new Chatter(crowd);
  const watch = new ServiceWatch(crowd, onProgress);
  const faults: FaultResult[] = [];
  const findings: Findings = { acknowledged: 0, lost: [], duplicated: [], wrong: [] };
  const failures: string[] = [];
  let presence: PresenceWatch | undefined;
  let rejoiner: Rejoiner | undefined;

  const isOver = (): boolean =>
    "faults" in until ? faults.length >= until.faults : performance.now() - beganMs >= until.minutes * 60_000;

  const checkAll = async (): Promise<void> => {
    await chatter.stop();
    const found = await check(crowd, truth);
    findings.acknowledged += found.acknowledged;
    for (const kind of ["lost", "duplicated", "wrong"] as const) findings[kind].push(...found[kind]);
    onProgress(
      `checked: ${found.acknowledged} acknowledged, ${found.lost.length} lost, ${found.duplicated.length} duplicated, ${found.wrong.length} other differences`,
    );
  };

  const survive = async (fault: Fault): Promise<void> => {
    const faultMs = performance.now();
    let repairedAfterMs = 0;
    onProgress(`${fault.kind}: ${fault.target}`);
    presence!.toggleVisitor();
    rejoiner!.move();
    const repair = async (): Promise<void> => {
      await fault.run();
      repairedAfterMs = performance.now() - faultMs;
    };
    const backAfterMs = await watch.untilBack(repair());
    const backMs = performance.now();
    failures.push(...(await presence!.untilTrue()));
    const presenceAfterMs = performance.now() - backMs;
    failures.push(...(await rejoiner!.untilTrue()));
    faults.push({ kind: fault.kind, target: fault.target, repairedAfterMs, backAfterMs, presenceAfterMs });
    const times = [repairedAfterMs, backAfterMs, presenceAfterMs].map(inSeconds);
    onProgress(
      `  ${faults.length}: repaired after ${times[0]}, recovered after ${times[1]}, presence correct ${times[2]} later`,
    );
  };

  const work = async (): Promise<void> => {
    await crowd.enter();
    const urls = gateways.map(({ clientUrl }) => clientUrl);
    presence = await PresenceWatch.start(crowd, urls);
    rejoiner = await Rejoiner.start(crowd, urls);
    onProgress("all members connected");
    chatter.start();
    let waiting: string[] = [];
    while (!isOver()) {
      if (waiting.length === 0) waiting = "faults" in until ? random.shuffle(kinds) : roundOf(kinds, random);
      await survive(makeFault(waiting.shift()!, { cluster, supervisor, random, settings }));
      await delay(random.between(0, LONGEST_PAUSE_MS));
      if (faults.length % FAULTS_PER_CHECK !== 0 || isOver()) continue;
      await checkAll();
      if (hasFound(findings)) return;
      await crowd.moveOn();
      chatter.start();
    }
    await checkAll();
  };

  try {
    await work();
  } catch (error) {
    if (!(error instanceof StuckError)) throw error;
    failures.push(`stuck after ${inSeconds(performance.now() - beganMs)}: ${error.message}`);
  } finally {
    supervisor.stop();
    memory.stop();
    presence?.close();
    rejoiner?.close();
    crowd.close();
    await truth.close();
    for (const server of servers) await server.kill();
    await cluster.stop();
  }
  const violations = [
    ...failures,
    ...findings.lost.map((text) => `lost: ${text}`),
    ...findings.duplicated.map((text) => `duplicated: ${text}`),
    ...findings.wrong,
    ...supervisor.crashes(),
    ...(await uncaughtErrors(servers)),
    ...memory.excesses(),
    ...crowd.members.flatMap(({ unexpectedErrors }) => unexpectedErrors),
  ];
  if (violations.length === 0) await rm(folder, { recursive: true, force: true });
  else await keepEvidence(folder, crowd, violations);
  return {
    seed,
    durationMs: performance.now() - beganMs,
    faults,
    findings,
    errors: sumOfErrors(crowd),
    memory: memory.use(),
    violations,
    folder,
  };
}

function hasFound({ lost, duplicated, wrong }: Findings): boolean {
  return lost.length + duplicated.length + wrong.length > 0;
}

async function keepEvidence(folder: string, crowd: Crowd, violations: readonly string[]): Promise<void> {
  const members = crowd.members.map(({ name, userId, events, views }) => ({
    name,
    userId,
    events,
    channels: [...views].map(([channelId, { head }]) => ({ channelId, head })),
  }));
  const evidence = { violations, members, ledger: crowd.ledger.entries };
  await writeFile(join(folder, "evidence.json"), JSON.stringify(evidence, null, 1));
}

function sumOfErrors(crowd: Crowd): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { errors } of crowd.members) {
    for (const [name, count] of errors) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
