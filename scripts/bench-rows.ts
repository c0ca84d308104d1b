import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { defaultGatewayThreads } from "@fanfare/kernel/gateway-threads";
import { namesIn } from "../benchmark/src/cli/options.ts";
import { processUsage } from "../benchmark/src/kernels/broadcast/resource-use.ts";
import { startSingleInstance } from "../benchmark/src/platform/platform.ts";
import { ratio, short, table } from "../benchmark/src/report/format.ts";
import { hasLabels, overPasses, type Labels } from "../benchmark/src/report/metric.ts";
import { runRow } from "../benchmark/src/suite/run-suite.ts";

// Prints what the server costs, beside a baseline and the goal: `pnpm bench:rows [--only start,direct]`. The baseline was measured on
// two shared cores on 2026-11-22, so compare on such a machine.

const RUN_TIMEOUT_MS = 15 * 60_000;
const SETTLE_MS = 3000;
const IDLE_MS = 10_000;
const BROADCAST = "--users 10000 --messages 10 --passes 2 --idle 1s --burst 20";

/** The value of the first metric with this name and these labels. */
type Values = (name: string, labels?: Labels) => number | null;

interface Row {
  title: string;
  unit: string;
  baseline: number;
  goal: number;
  read: (values: Values) => number | null;
}

const row = (title: string, unit: string, baseline: number, goal: number, read: Row["read"]): Row => ({
  title,
  unit,
  baseline,
  goal,
  read,
});

const divided = (value: number | null, by: number | null): number | null =>
  value === null || by === null || by === 0 ? null : value / by;

/** CPU time of one of the things that are counted per CPU second. */
const cost =
  (name: string, perSecond: number): Row["read"] =>
  (values) =>
    divided(perSecond, values(name));

const ofWarm =
  (name: string, labels?: Labels): Row["read"] =>
  (values) => {
    const server = { server: "fanfare" };
    return divided(values(name, { ...server, ...labels }), values("medianMs", server));
  };

/** The runs of the tester, by their names for --only. */
const RUNS: Record<string, { command: string; rows: Row[] }> = {
  direct: {
    command: "direct --senders 200 --in-flight 200 --count 60000",
    rows: [
      row(
        "direct message, one waiting per channel",
        "µs CPU",
        255,
        120,
        cost("acknowledgedPerCpuSecond", 1e6),
      ),
      row("direct messages", "/s", 5400, 10_000, (values) => values("acknowledgedPerSecond")),
    ],
  },
  "direct-two": {
    command: "direct --senders 100 --in-flight 200 --count 60000",
    rows: [
      row(
        "direct message, two waiting per channel",
        "µs CPU",
        422,
        130,
        cost("acknowledgedPerCpuSecond", 1e6),
      ),
      row("direct messages, two waiting per channel", "/s", 3170, 10_000, (values) =>
        values("acknowledgedPerSecond"),
      ),
    ],
  },
  http: {
    command: "http --connections 64 --users 400 --channels 200 --count 30000",
    rows: [row("message by HTTP", "µs CPU", 301, 150, cost("acknowledgedPerCpuSecond", 1e6))],
  },
  login: {
    command: "login --count 10000 --in-flight 100",
    rows: [row("login", "µs CPU", 440, 240, cost("acknowledgedPerCpuSecond", 1e6))],
  },
  register: {
    command: "register --users 3000",
    rows: [row("guest registered and joined", "ms CPU", 1.67, 0.7, cost("registrationsPerCpuSecond", 1000))],
  },
  connect: {
    command: "connect --users 10000 --hold 20s",
    rows: [
      row("memory per idle connection", "KiB", 17.9, 13, (values) =>
        divided(values("rssPerConnectionBytes"), 1024),
      ),
      row("idle, 10,000 connections", "ms CPU/s", 19, 15, (values) =>
        divided(values("cpuMsPerConnectionHour"), 0.36),
      ),
      row("longest block while 10,000 log in", "ms", 44, 10, (values) =>
        values("loopDelayMaxMs", { when: "all online" }),
      ),
      row("longest block by a scrape, 10,000 connections", "ms", 34, 2, (values) =>
        values("loopDelayMaxMs", { when: "after the hold" }),
      ),
    ],
  },
  limits: {
    command: `limits ${BROADCAST}`,
    rows: [
      row("p100 at 10,000 ÷ bare Socket.IO", "×", 0.63, 0.6, (values) =>
        values("medianMsRatio", { to: "socket.io" }),
      ),
      row("cold ÷ warm", "×", 1.5, 1.2, ofWarm("coldMs")),
      row("first ÷ warm", "×", 2.2, 1.4, ofWarm("firstMs")),
      row("burst of 20 ÷ one message", "×", 2.04, 1.6, ofWarm("burstMs", { burst: 20 })),
    ],
  },
  "limits-0": {
    command: `limits ${BROADCAST} --targets fanfare:0,socket.io,ws`,
    rows: [
      row("the same, without gateway threads", "×", 0.84, 0.75, (values) =>
        values("medianMsRatio", { to: "socket.io" }),
      ),
    ],
  },
  cluster: {
    command: `cluster ${BROADCAST} --gateways 2`,
    rows: [
      row("two gateways over NATS ÷ bare Socket.IO", "×", 0.66, 0.55, (values) =>
        values("medianMsRatio", { server: "2 gateways" }),
      ),
    ],
  },
  "group-100": {
    command: "broadcast --users 100 --messages 100",
    rows: [row("message to a group of 100", "ms CPU net", 5, 1.5, (values) => values("netCpuMsPerMessage"))],
  },
};

/** Of a new instance with the default threads, and of one without. */
const START = [
  row("start to ready", "s CPU", 4.8, 1.2, (values) => values("startSeconds")),
  row("memory of a new instance", "MB", 522, 220, (values) => values("rssMb")),
  row("memory per gateway thread", "MB", 97, 35, (values) => values("rssMbPerThread")),
  row("idle, empty", "ms CPU/s", 19, 3, (values) => values("idleMsPerSecond")),
];

const names = ["start", ...Object.keys(RUNS)];
const { values: options } = parseArgs({ options: { only: { type: "string" }, help: { type: "boolean" } } });
if (options.help === true) {
  console.log(`Usage: pnpm bench:rows [--only ${names.join(",")}]`);
  process.exit();
}
const chosen = options.only === undefined ? names : namesIn("only", options.only, names);
const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort(new Error("interrupted")));
const lines = [["", "today", "baseline", "ratio", "goal", ""]];
const folder = await mkdtemp(join(tmpdir(), "fanfare-rows-"));
try {
  for (const name of chosen) {
    interrupted.signal.throwIfAborted();
    process.stderr.write(`${name}…\n`);
    lines.push(...(name === "start" ? await measureStart() : await measureRun(name)));
  }
} finally {
  await rm(folder, { recursive: true });
}
process.stdout.write(`${table(lines)}\n`);
process.exit();

async function measureRun(name: string): Promise<string[][]> {
  const { command, rows } = RUNS[name]!;
  const suiteRow = { name, title: name };
  const { result, outcome } = await runRow(suiteRow, command, folder, RUN_TIMEOUT_MS, interrupted.signal);
  if (outcome.problem !== null) process.stderr.write(`${name}: ${outcome.problem}\n`);
  const metrics = overPasses(result?.metrics ?? []);
  return linesOf(rows, (wanted, labels = {}) => {
    return metrics.find((one) => one.name === wanted && hasLabels(one, labels))?.value ?? null;
  });
}

async function measureStart(): Promise<string[][]> {
  const threads = defaultGatewayThreads();
  const measured = await measureInstance(threads);
  const without = await measureInstance(0);
  const rssMbPerThread = threads === 0 ? null : (measured.rssMb - without.rssMb) / threads;
  const values: Record<string, number | null> = { ...measured, rssMbPerThread };
  return linesOf(START, (name) => values[name] ?? null);
}

async function measureInstance(gatewayThreads: number) {
  const instance = await startSingleInstance(interrupted.signal, gatewayThreads);
  try {
    const usage = () => processUsage(instance.processes[0]!.pid)!;
    const ready = usage();
    await sleep(SETTLE_MS);
    const settled = usage();
    await sleep(IDLE_MS);
    const idleSeconds = usage().cpuSeconds - settled.cpuSeconds;
    return {
      startSeconds: ready.cpuSeconds,
      rssMb: settled.rssBytes / 1e6,
      idleMsPerSecond: (idleSeconds * 1e6) / IDLE_MS,
    };
  } finally {
    await instance.close();
  }
}

function linesOf(rows: readonly Row[], values: Values): string[][] {
  return rows.map(({ title, unit, baseline, goal, read }) => {
    const value = read(values);
    const today = value === null ? "–" : short(value);
    return [title, today, short(baseline), ratio(divided(value, baseline)), short(goal), unit];
  });
}
