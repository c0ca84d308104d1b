import { usageError } from "../cli/exit.ts";
import { clusterSizeOf, MOST_USERS, wholeNumber, type OptionValues } from "../cli/options.ts";
import { addressNeeds, currentLimits } from "../cli/preflight.ts";
import { PROGRAM } from "../cli/program.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { otherProgramsVerdict } from "../kernels/broadcast/generator-load.ts";
import { spread, type Spread } from "../kernels/broadcast/percentiles.ts";
import {
  checkConnectLimits,
  CONNECT_OPTIONS,
  gatewaysFor,
  receivingProcesses,
  type ConnectPlan,
} from "../kernels/connections/connect-plan.ts";
import { measureConnections, type ConnectMeasurement } from "../kernels/connections/connect-run.ts";
import { readTokenFile } from "../kernels/connections/token-file.ts";
import type { ClusterSize } from "../platform/platform.ts";
import { applying, count, kib, ms, serverText } from "../report/format.ts";
import {
  fields,
  metricNames,
  metrics,
  readMetrics,
  type Labels,
  type Metric,
  type MetricTable,
} from "../report/metric.ts";
import { lineOver, mebibytes, type Outcome, type TextTable } from "../report/result.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";
import { USAGE } from "./broadcast-outcome.ts";

const MOST_PROCESSES = 64;
/** Concurrent registrations on a server that is started for the run. */
const MOST_REGISTRATIONS = 100;

/** A standstill shorter than this, or than this share of the worst message, does not matter. */
const STANDSTILL_MS = 50;
const STANDSTILL_SHARE = 0.2;

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
    ["$0 connect --tokens tokens.json", `the users of ${PROGRAM} register`],
    ["$0 connect -u 5000 --threshold 'rssPerConnectionBytes<50000'", "for CI"],
  ],
  async plan(values) {
    const file = values.tokens === undefined ? undefined : await readTokenFile(values.tokens);
    const url = values.url ?? file?.url;
    const { metricsUrl } = values;
    const known = file?.tokens.length;
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
        const target = await openFanfare(context, { url, metricsUrl, cluster, registrations });
        const prepared = file
          ? { credentials: file.tokens.slice(0, users), registration: null }
          : await target.prepare(users, context.progress, context.signal);
        const access = file ?? target.meeting;
        const { isLocalServer } = place;
        const run = { ...context, ...prepared, target, access, isLocalServer, plan };
        return connectOutcome(await measureConnections(run), serverText(target));
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
    throw usageError("--gateways and --workers start a cluster for the run: omit --url and --tokens.");
  if (asked || isRunning) return asked;
  const gateways = gatewaysFor(users, currentLimits());
  return gateways > 1 ? { gateways, workers: 1 } : undefined;
}

function connectOutcome(measured: ConnectMeasurement, server: string): Outcome {
  const { users, hold, messages, bytesPerConnection } = measured;
  const { standstillMs } = measured;
  const worstMs = timesOf(measured, ({ max }) => max) ?? 0;
  const line = lineOver("seconds", hold?.samples ?? []);
  return {
    title: `Connect ${count(users, "user")}`,
    subtitle: [
      server,
      `light receivers in ${count(measured.processes, "process", "processes")} that answer heartbeats`,
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
        points: messages.map(({ p100Ms }, i) => ({ x: i + 1, y: p100Ms })),
      },
    ],
    tables: kernelTable(measured),
    caveats: applying(
      standstillMs > Math.max(STANDSTILL_MS, worstMs * STANDSTILL_SHARE) &&
        `The tester itself stood still for up to ${ms(standstillMs)} during the messages: times are overstated by up to that.`,
      otherProgramsVerdict(measured.otherProgramsCores, "connecting took longer than it would have."),
      bytesPerConnection?.isKernelOfBothEnds &&
        "Kernel memory is that of both ends of each connection; half of it is the server's.",
    ),
  };
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
