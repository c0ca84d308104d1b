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
import { spread, type Spread } from "../kernels/broadcast/percentiles.ts";
import { testerCaveats } from "../kernels/broadcast/tester-watch.ts";
import {
  measureConnections,
  type ConnectMeasurement,
  type ConnectPlan,
} from "../kernels/connections/connect-run.ts";
import type { ClusterSize } from "../platform/platform.ts";
import { applying, count, kib, serverText } from "../report/format.ts";
import {
  fields,
  metricNames,
  metrics,
  readMetrics,
  type Labels,
  type Metric,
  type MetricTable,
} from "../report/metric.ts";
import { lineOver, mebibytes, type TextTable } from "../report/result.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";
import { existingUsers } from "../targets/tokens.ts";
import { USAGE } from "./broadcast-outcome.ts";

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
  const raise = (files: number) => `or raise the limit: ulimit -n ${files + OTHER_FILES}`;
  const perReceiver = Math.ceil(users / processes);
  if (perReceiver > most) {
    const enough = receivingProcesses(users, limits);
    obstacles.push(
      `${perReceiver} connections in one process exceed its limit of open files, ${limits.openFiles}. ` +
        `Use --processes ${enough}, ${raise(perReceiver)}.`,
    );
  }
  const perGateway = gateways === null ? 0 : Math.ceil(users / gateways);
  if (perGateway > most) {
    obstacles.push(
      `${perGateway} connections of one gateway exceed its limit of open files, ${limits.openFiles}. ` +
        `Use --gateways ${gatewaysFor(users, limits)}, ${raise(perGateway)}.`,
    );
  }
  if (obstacles.length > 0) throw usageError(obstacles.join("\n"));
}

const MOST_PROCESSES = 64;
/** Concurrent registrations on a server that is started for the run. */
const MOST_REGISTRATIONS = 100;

const countsOf = ({ counts }: ConnectMeasurement) => counts;

const FIGURES: MetricTable<ConnectMeasurement> = {
  worstMs: (measured) => timesOf(measured, ({ max }) => max),
  medianMs: (measured) => timesOf(measured, ({ median }) => median),
  ...fields(countsOf, "lost", "duplicates", "outOfOrder", "corrupted"),
  unstored: ({ counts: { stored, acknowledged } }) =>
    stored === null ? undefined : Math.max(0, acknowledged - stored),
  ...fields(countsOf, "dropped", "gaveUp"),
  connectsPerSecond: ({ connection }) => connection?.perSecond ?? null,
  connectsPerCpuSecond: ({ connection }) => connection?.perServerCpuSecond ?? undefined,
  onlineP99Ms: ({ connection }) => connection?.onlineMs?.p99,
  rssPerConnectionBytes: ({ bytesPerConnection }) => bytesPerConnection?.server ?? null,
  kernelPerConnectionBytes: ({ bytesPerConnection }) => bytesPerConnection?.kernel ?? undefined,
  testerBytesPerConnection: ({ bytesPerConnection }) => bytesPerConnection?.tester,
  ...fields(({ hold }: ConnectMeasurement) => hold, "rssGrowthBytes", "cpuMsPerConnectionHour", "heldMs"),
  ...fields(countsOf, "online", "sent", "acknowledged", "stored", "expected", "received", "resyncs"),
  registrationsPerSecond: ({ registration }) => registration?.perSecond,
  otherProgramsCores: ({ otherProgramsCores }) => otherProgramsCores ?? undefined,
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
        const { isLocalServer } = place;
        const run = { ...context, ...prepared, target, isLocalServer, plan };
        const measured = await measureConnections(run);
        const line = lineOver("seconds", measured.hold?.samples ?? []);
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
            {
              label: "Each message, time to the last member",
              x: "messages in order",
              y: "ms",
              kind: "columns",
              points: measured.messages.map(({ p100Ms }, i) => ({ x: i + 1, y: p100Ms })),
            },
          ],
          tables: kernelTable(measured),
          caveats: connectCaveats(measured),
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

function connectCaveats(measured: ConnectMeasurement): string[] {
  const { standstillMs, otherProgramsCores, bytesPerConnection } = measured;
  const worstMs = timesOf(measured, ({ max }) => max);
  const effect = "connecting took longer than it would have.";
  return [
    ...testerCaveats({ standstillMs, otherProgramsCores }, worstMs, effect),
    ...applying(
      bytesPerConnection?.isKernelOfBothEnds &&
        "Kernel memory is that of both ends of each connection; half of it is the server's.",
    ),
  ];
}

function connectMetrics(measured: ConnectMeasurement): Metric[] {
  const { users, gateways, bytesPerConnection, server } = measured;
  const labels: Labels = { members: users, gateways: gateways ?? 0 };
  const moments = {
    "before connecting": server.beforeConnect,
    "all online": server.connected,
    "after the hold": server.afterHold,
    "after the messages": server.afterMessages,
  };
  return [
    ...readMetrics(FIGURES, measured, labels),
    ...Object.entries(bytesPerConnection?.serverByKind ?? {}).flatMap(([process, rssPerConnectionBytes]) =>
      metrics({ rssPerConnectionBytes }, { ...labels, process }),
    ),
    ...Object.entries(moments).flatMap(([when, usage]) => readMetrics(USAGE, usage, { ...labels, when })),
  ];
}

/** To the last member, of all messages; undefined: none was sent, null: one did not reach everyone. */
function timesOf({ messages }: ConnectMeasurement, of: (times: Spread) => number): number | null | undefined {
  if (messages.length === 0) return undefined;
  const times = messages.map(({ p100Ms }) => p100Ms);
  return times.includes(null) ? null : of(spread(times as number[])!);
}

function kernelTable({ bytesPerConnection }: ConnectMeasurement): TextTable[] {
  const objects = bytesPerConnection?.kernelObjects ?? [];
  if (objects.length === 0) return [];
  return [
    { label: "Kernel objects per connection", rows: objects.map(({ name, bytes }) => [name, kib(bytes)]) },
  ];
}
