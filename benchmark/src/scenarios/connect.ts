import { freemem } from "node:os";
import { PROGRAM, usageError } from "../cli/exit.ts";
import {
  CLUSTER_OPTIONS,
  clusterSizeOf,
  EXISTING_USERS_OPTIONS,
  FANFARE_OPTIONS,
  integer,
  LAST_MEMBER_TIMEOUT,
  MOST_USERS,
  PAYLOAD_OPTIONS,
  RECEIVER_OPTIONS,
  text,
  time,
  wholeNumber,
  type OptionValues,
} from "../cli/options.ts";
import { addressNeeds, currentLimits, findObstacles, type Limits, type Needs } from "../cli/preflight.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import {
  difference,
  mapValues,
  openPercentiles,
  spread,
  type Spread,
} from "../kernels/broadcast/percentiles.ts";
import { testerCaveats } from "../kernels/broadcast/tester-watch.ts";
import {
  measureConnections,
  type ConnectMeasurement,
  type ConnectPlan,
  type HoldSample,
} from "../kernels/connections/connect-run.ts";
import type { ClusterSize } from "../platform/platform.ts";
import { applying, count, serverText } from "../report/format.ts";
import { fields, metricNames, readMetrics, type Metric, type MetricTable } from "../report/metric.ts";
import { lineOver, mebibytes } from "../report/result.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";
import { existingUsers } from "../targets/tokens.ts";
import { messagePoints, metricsByProcess, USAGE, usageMetrics } from "./broadcast-outcome.ts";

const CONNECT_OPTIONS = {
  ...FANFARE_OPTIONS,
  ...CLUSTER_OPTIONS,
  ...PAYLOAD_OPTIONS,
  ...EXISTING_USERS_OPTIONS,
  users: integer(
    "Receivers",
    "Number of connections; default: 1000, or all members of --tokens",
    [1, MOST_USERS],
    {
      alias: "u",
    },
  ),
  processes: text("Receivers", "Receiving processes; auto: the minimum that the open-file limit allows", {
    default: "auto",
  }),
  connecting: { ...RECEIVER_OPTIONS.connecting, describe: "Concurrent connection attempts" },
  connectTimeoutMs: time("Receivers", "Timeout of a connection attempt", { default: "15s", minMs: 100 }),
  napMs: RECEIVER_OPTIONS.napMs,
  holdMs: time("Receivers", "How long to hold the connections, for example 90s or 30m", { default: "10s" }),
  settleMs: time("Receivers", "Rest after the last connection, before memory is measured", { default: "2s" }),
  messages: integer("Messages", "Messages to all members at the end, one at a time", [0, 1000], {
    default: 3,
    alias: "m",
  }),
  timeoutMs: LAST_MEMBER_TIMEOUT,
};

/** A process' descriptors other than connections: modules, pipes, the database, other clients. */
const OTHER_FILES = 800;
/** A thread reads some 200,000 frames a second; with more members than this in one process, they wait for it. */
const MOST_PER_RECEIVING_PROCESS = 15_000;
const MOST_PER_GATEWAY = 18_000;

/** The maximum number of connections of one process on this machine. */
function perProcess(most: number, { openFiles }: Pick<Limits, "openFiles">): number {
  return Math.max(1, Math.min(most, (openFiles ?? Infinity) - OTHER_FILES));
}

/** The minimum number of receiving processes for this many users. */
export function receivingProcesses(users: number, limits: Pick<Limits, "openFiles">): number {
  return Math.ceil(users / perProcess(MOST_PER_RECEIVING_PROCESS, limits));
}

/** The minimum number of gateways for this many users; 1: a single instance is enough. */
export function gatewaysFor(users: number, limits: Pick<Limits, "openFiles">): number {
  return Math.ceil(users / perProcess(MOST_PER_GATEWAY, limits));
}

export interface ConnectNeeds extends Omit<Needs, "kind"> {
  processes: number;
  /** Processes of the server that is started for the run; null: it is already running. */
  gateways: number | null;
}

/** @throws {ExitError} listing everything that would fail halfway, each with the command that helps */
export function checkConnectLimits(needs: ConnectNeeds, limits: Limits = currentLimits()): void {
  const { users, processes, gateways } = needs;
  const obstacles = findObstacles(
    { ...needs, kind: "light" },
    // Descriptors are counted per process, below; memory for the whole machine.
    { ...limits, openFiles: null, memoryBytes: Math.max(limits.memoryBytes, freemem()) },
  ).map(({ why }) => why);
  const most = (limits.openFiles ?? Infinity) - OTHER_FILES;
  const check = (connections: number, where: string, advice: string) => {
    if (connections <= most) return;
    obstacles.push(
      `${connections} connections ${where} exceed its limit of open files, ${limits.openFiles}. ` +
        `Use ${advice}, or raise the limit: ulimit -n ${connections + OTHER_FILES}.`,
    );
  };
  check(Math.ceil(users / processes), "in one process", `--processes ${receivingProcesses(users, limits)}`);
  if (gateways !== null)
    check(Math.ceil(users / gateways), "of one gateway", `--gateways ${gatewaysFor(users, limits)}`);
  if (obstacles.length > 0) throw usageError(obstacles.join("\n"));
}

const MOST_PROCESSES = 64;
/** Concurrent registrations on a server that is started for the run. */
const MOST_REGISTRATIONS = 100;

const MS_PER_HOUR = 3_600_000;

const countsOf = ({ counts }: ConnectMeasurement) => counts;

/** Of the server's or the kernel's memory: with all members online, minus before they connected. */
function perConnection(
  { before, connected, counts: { online } }: ConnectMeasurement,
  of: (memory: NonNullable<ConnectMeasurement["before"]>) => number | null | undefined,
): number | null {
  if (!before || !connected || online === 0) return null;
  const bytes = difference(of(before), of(connected));
  return bytes === null ? null : bytes / online;
}

/** While the connections were held; null: unknown. */
function growth({ samples }: ConnectMeasurement, of: (sample: HoldSample) => number | null): number | null {
  const [first, ...others] = samples;
  const last = others.at(-1);
  return first && last ? difference(of(first), of(last)) : null;
}

const FIGURES: MetricTable<ConnectMeasurement> = {
  worstMs: (measured) => timesOf(measured, ({ max }) => max),
  medianMs: (measured) => timesOf(measured, ({ median }) => median),
  ...fields(countsOf, "lost", "duplicates", "outOfOrder", "corrupted"),
  unstored: ({ counts: { stored, acknowledged } }) =>
    stored === null ? undefined : Math.max(0, acknowledged - stored),
  ...fields(countsOf, "dropped", "gaveUp"),
  connectsPerSecond: ({ connectMs, counts }) =>
    connectMs === null ? null : counts.online / (connectMs / 1000),
  connectsPerCpuSecond: ({ connecting, counts }) => {
    const cpu = connecting?.cpuSeconds ?? 0;
    return cpu > 0 ? counts.online / cpu : undefined;
  },
  onlineP99Ms: ({ connectMs, onlineMs, counts }) =>
    connectMs === null ? undefined : openPercentiles(onlineMs, counts.gaveUp)?.p99,
  rssPerConnectionBytes: (measured) => perConnection(measured, ({ usage }) => usage?.rssBytes),
  kernelPerConnectionBytes: (measured) =>
    perConnection(measured, ({ kernelBytes }) => kernelBytes) ?? undefined,
  rssGrowthBytes: (measured) => growth(measured, ({ rssBytes }) => rssBytes) ?? undefined,
  cpuMsPerConnectionHour: (measured) => {
    const [cpu, ms] = [growth(measured, (one) => one.cpuSeconds), growth(measured, (one) => one.atMs)];
    const { online } = measured.counts;
    return cpu === null || online === 0 ? undefined : (cpu * 1000) / online / (ms! / MS_PER_HOUR);
  },
  heldMs: ({ samples }) => samples.at(-1)?.atMs,
  ...fields(countsOf, "online", "sent", "acknowledged", "stored", "expected", "received", "resyncs"),
  registrationsPerSecond: ({ registration }) => registration?.perSecond,
  otherProgramsCores: ({ connecting }) => connecting?.otherProgramsCores ?? undefined,
};

export const connect = scenario({
  name: "connect",
  describe: "How many connections can be held, their memory, and whether all receive messages",
  metrics: metricNames(FIGURES, USAGE),
  options: CONNECT_OPTIONS,
  examples: [
    ["$0 connect --users 10000 --hold 30m", "half an hour, with heartbeats"],
    ["$0 connect --users 100000", "a cluster with as many gateways as file descriptors require"],
    [
      "$0 connect --url http://127.0.0.1:3000 --tokens tokens.txt --channel ID",
      `the users of ${PROGRAM} register`,
    ],
    ["$0 connect -u 5000 --threshold 'rssPerConnectionBytes<50000'", "for CI"],
  ],
  async plan(values) {
    const { url, metricsUrl } = values;
    const existing = await existingUsers(values, values.users ?? 1);
    const known = existing?.memberTokens.length;
    const users = wholeNumber("users", values.users ?? known ?? 1000, 1, known ?? MOST_USERS);
    const processes =
      values.processes === "auto"
        ? receivingProcesses(users, currentLimits())
        : wholeNumber("processes", Number(values.processes), 1, Math.min(MOST_PROCESSES, users));
    const plan: ConnectPlan = { ...values, users, processes };
    const cluster = clusterOf(values, users, url !== undefined);
    const place = await addressNeeds(url);
    checkConnectLimits({ ...plan, ...place, gateways: url === undefined ? (cluster?.gateways ?? 1) : null });
    return {
      options: { ...plan, cluster },
      async measure(context: RunContext) {
        const registrations = Math.min(plan.connecting, MOST_REGISTRATIONS);
        const target = await openFanfare(context, { url, metricsUrl, cluster, registrations, existing });
        const prepared = await target.prepare(users, context.progress, context.signal);
        const measured = await measureConnections({ ...context, ...prepared, target, plan });
        const line = lineOver("seconds", measured.samples);
        return {
          title: `Connect ${count(users, "user")}`,
          subtitle: [
            serverText(target),
            `light receivers in ${count(processes, "process", "processes")} that answer heartbeats`,
          ],
          metrics: connectMetrics(measured),
          series: [
            line("Members online while the connections are held", "online", ({ online }) => online),
            line("Server memory (RSS) while the connections are held", "MiB", ({ rssBytes }) =>
              mebibytes(rssBytes),
            ),
            messagePoints(measured.messages.map(({ p100Ms }) => ({ y: p100Ms }))),
          ],
          caveats: connectCaveats(measured, place.isLocalServer),
        };
      },
    };
  },
});

/** undefined: a single instance, or a running server. A cluster if one process has too few file descriptors. */
function clusterOf(
  args: Pick<OptionValues<typeof CONNECT_OPTIONS>, "gateways" | "workers">,
  users: number,
  isRunning: boolean,
): ClusterSize | undefined {
  const asked = clusterSizeOf(args);
  if (asked && isRunning)
    throw usageError("--gateways and --workers start a cluster for the run: omit --url.");
  if (asked || isRunning) return asked;
  const gateways = gatewaysFor(users, currentLimits());
  return gateways > 1 ? { gateways, workers: 1 } : undefined;
}

function connectCaveats(measured: ConnectMeasurement, isLocalServer: boolean): string[] {
  const { standstillMs, connecting, connected, counts } = measured;
  const load = { standstillMs, otherProgramsCores: connecting?.otherProgramsCores ?? null };
  const worstMs = timesOf(measured, ({ max }) => max);
  const effect = "connecting took longer than it would have.";
  return applying(
    ...testerCaveats(load, worstMs, effect),
    connected !== null &&
      counts.online > 0 &&
      isLocalServer &&
      "Kernel memory is that of both ends of each connection; half of it is the server's.",
  );
}

function connectMetrics(measured: ConnectMeasurement): Metric[] {
  const { users, gateways, before, connected } = measured;
  const labels = { members: users, gateways: gateways ?? 0 };
  const byKind = mapValues(connected?.byKind ?? {}, (_, kind) =>
    perConnection(measured, (memory) => memory.byKind?.[kind] ?? 0)!,
  );
  const moments = {
    "before connecting": before?.usage ?? null,
    "all online": connected?.usage ?? null,
    "after the hold": measured.afterHold,
    "after the messages": measured.afterMessages,
  };
  return [
    ...readMetrics(FIGURES, measured, labels),
    ...(measured.counts.online > 0 ? metricsByProcess("rssPerConnectionBytes", byKind, labels) : []),
    ...usageMetrics(moments, labels),
  ];
}

/** To the last member, of all messages; undefined: none was sent, null: one did not reach everyone. */
function timesOf({ messages }: ConnectMeasurement, of: (times: Spread) => number): number | null | undefined {
  if (messages.length === 0) return undefined;
  const times = messages.map(({ p100Ms }) => p100Ms);
  return times.includes(null) ? null : of(spread(times as number[])!);
}
