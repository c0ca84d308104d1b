import type { Argv } from "yargs";
import {
  clusterOptions,
  clusterSizeOf,
  duration,
  fanfareOptions,
  payloadBytes,
  payloadOption,
  wholeNumber,
} from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { addressNeeds } from "../targets/address-needs.ts";
import { openFanfareApi } from "../targets/fanfare/open-fanfare.ts";
import {
  checkConnectLimits,
  gatewaysFor,
  receivingProcesses,
  type ConnectPlan,
} from "../kernels/connections/connect-plan.ts";
import type { ConnectMeasurement } from "../kernels/connections/connect-result.ts";
import { measureConnections } from "../kernels/connections/connect-run.ts";
import { logInOwner, registerCrowd, type CrowdAccess } from "../kernels/connections/crowd-access.ts";
import { readTokenFile } from "../kernels/connections/token-file.ts";
import { usageError } from "../cli/exit.ts";
import { spread } from "../kernels/broadcast/percentiles.ts";
import type { ClusterSize } from "../platform/cluster.ts";
import { currentLimits } from "../cli/preflight.ts";
import { clusterName, count, kib } from "../report/format.ts";
import { metrics, type Labels, type Metric } from "../report/metric.ts";
import type { Outcome, TextTable } from "../report/result.ts";
import type { Api } from "../targets/fanfare/api.ts";
import { explain } from "../targets/fanfare/explain.ts";
import type { RegistrationResult } from "../targets/registration.ts";

const MOST_USERS = 1_000_000;
const MOST_PROCESSES = 64;
/** Concurrent registrations on a server that is started for the run. */
const MOST_REGISTRATIONS = 100;

export const connect = scenario({
  name: "connect",
  describe: "How many connections can be held, their memory, and whether all receive messages",
  metrics: [
    "connectsPerSecond",
    "connectsPerCpuSecond",
    "onlineP99Ms",
    "worstMs",
    "medianMs",
    "rssPerConnectionBytes",
    "kernelPerConnectionBytes",
    "testerBytesPerConnection",
    "rssGrowthBytes",
    "cpuMsPerConnectionHour",
    "heldMs",
    "online",
    "gaveUp",
    "lost",
    "duplicates",
    "outOfOrder",
    "corrupted",
    "unstored",
    "dropped",
    "sent",
    "acknowledged",
    "stored",
    "expected",
    "received",
    "resyncs",
    "registrationsPerSecond",
    "rssBytes",
    "otherProgramsCores",
  ],
  options: (yargs: Argv) =>
    payloadOption(clusterOptions(fanfareOptions(yargs)))
      .option("tokens", {
        group: "Server:",
        type: "string",
        describe: "Use the users and server of this file from bench register instead of new ones",
      })
      .option("users", {
        group: "Receivers:",
        alias: "u",
        type: "number",
        describe: "Number of connections; default: 1000, or all users of the file",
      })
      .option("processes", {
        group: "Receivers:",
        type: "string",
        default: "auto",
        describe: "Receiving processes; auto: the minimum that the open-file limit allows",
      })
      .option("connecting", {
        group: "Receivers:",
        type: "number",
        default: 100,
        describe: "Concurrent connection attempts",
      })
      .option("connect-timeout", {
        group: "Receivers:",
        type: "string",
        default: "15s",
        describe: "Timeout of a connection attempt",
      })
      .option("nap", {
        group: "Receivers:",
        type: "number",
        default: 1,
        describe: "Milliseconds between reads of light receivers; 0 reads every frame immediately",
      })
      .option("hold", {
        group: "Receivers:",
        type: "string",
        default: "10s",
        describe: "How long to hold the connections, for example 90s or 30m",
      })
      .option("settle", {
        group: "Receivers:",
        type: "string",
        default: "2s",
        describe: "Rest after the last connection, before memory is measured",
      })
      .option("messages", {
        group: "Messages:",
        alias: "m",
        type: "number",
        default: 3,
        describe: "Messages to all members at the end, one at a time",
      })
      .option("timeout", {
        group: "Messages:",
        type: "string",
        default: "30s",
        describe: "How long to wait for the last member",
      })
      .example("$0 connect --users 10000 --hold 30m", "half an hour, with heartbeats")
      .example("$0 connect --users 100000", "a cluster with as many gateways as file descriptors require")
      .example("$0 connect --tokens tokens.json", "the users of bench register")
      .example("$0 connect -u 5000 --threshold 'gaveUp==0'", "for CI"),
  async plan(args) {
    const file = args.tokens === undefined ? undefined : await readTokenFile(args.tokens);
    const url = args.url ?? file?.url;
    const { metricsUrl } = args;
    const users = wholeNumber(
      "users",
      args.users ?? file?.tokens.length ?? 1000,
      1,
      file?.tokens.length ?? MOST_USERS,
    );
    const plan: ConnectPlan = {
      users,
      processes:
        args.processes === "auto"
          ? receivingProcesses(users, currentLimits())
          : wholeNumber("processes", Number(args.processes), 1, Math.min(MOST_PROCESSES, users)),
      window: wholeNumber("connecting", args.connecting, 1, 10_000),
      connectTimeoutMs: duration("connect-timeout", args.connectTimeout, 100),
      settleMs: duration("settle", args.settle),
      holdMs: duration("hold", args.hold),
      messages: wholeNumber("messages", args.messages, 0, 1000),
      timeoutMs: duration("timeout", args.timeout, 100),
      payloadBytes: payloadBytes(args.payload),
      napMs: wholeNumber("nap", args.nap, 0, 100),
    };
    const cluster = clusterOf(args, users, url !== undefined);
    const place = await addressNeeds(url, "light");
    checkConnectLimits({ ...plan, ...place, gateways: url === undefined ? (cluster?.gateways ?? 1) : null });
    return {
      options: { ...plan, cluster },
      async measure(context: RunContext) {
        const concurrency = Math.min(plan.window, MOST_REGISTRATIONS);
        const platform = { url, metricsUrl, cluster, registrations: concurrency };
        const { target, api } = await openFanfareApi(context, platform, concurrency);
        const { access, registration } = file
          ? { access: { ...file, tokens: file.tokens.slice(0, users) }, registration: null }
          : await registerUsers(api, users, concurrency, context, target.isThrowaway);
        // Memory left over from the registration would hide what connections take: start with a fresh server.
        if (!file) await target.platform?.refresh(context.signal);
        const server = {
          urls: target.urls,
          platform: target.platform,
          isLocal: place.isLocalServer,
          api,
          usage: () => target.usage(),
          cpuSeconds: () => target.cpuSeconds(),
        };
        return connectOutcome(await measureConnections({ ...context, server, access, registration, plan }));
      },
    };
  },
});

/** @throws {ExitError} with the server's error */
async function registerUsers(
  api: Api,
  users: number,
  concurrency: number,
  { progress, signal, defer }: RunContext,
  isThrowaway: boolean,
): Promise<{ access: CrowdAccess; registration: RegistrationResult }> {
  let done = 0;
  const work = () => registerCrowd(api, { users, concurrency }, signal, () => done++);
  try {
    const crowd = await progress.during("registering guests", users, () => done, work);
    const { access } = crowd;
    // On a running server the group is deleted; guests can't be.
    if (!isThrowaway) defer(() => deleteGroup(api, access));
    return crowd;
  } catch (error) {
    return explain(error);
  }
}

async function deleteGroup(api: Api, access: CrowdAccess): Promise<void> {
  await api.call("group.delete", { groupId: access.groupId }, await logInOwner(api, access));
}

/** undefined: a single instance, or a running server. A cluster if one process has too few file descriptors. */
function clusterOf(
  args: { gateways: number | undefined; workers: number | undefined },
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

function connectOutcome(measured: ConnectMeasurement): Outcome {
  const { users, target, client, hold, messages, bytesPerConnection, errors } = measured;
  return {
    title: `Connect ${count(users, "user")}`,
    subtitle: [
      target.isThrowaway ? `${clusterName(measured)}, started for this run` : target.url,
      `light receivers in ${count(client.processes, "process", "processes")} that answer heartbeats`,
    ],
    metrics: connectMetrics(measured),
    series: [
      {
        label: "Members online while the connections are held",
        x: "seconds",
        y: "online",
        kind: "line",
        points: (hold?.samples ?? []).map(({ atMs, online }) => ({ x: atMs / 1000, y: online })),
      },
      {
        label: "Server memory (RSS) while the connections are held",
        x: "seconds",
        y: "MiB",
        kind: "line",
        points: (hold?.samples ?? []).map(({ atMs, rssBytes }) => ({
          x: atMs / 1000,
          y: rssBytes === null ? null : rssBytes / 1024 / 1024,
        })),
      },
      {
        label: "Each message, time to the last member",
        x: "messages in order",
        y: "ms",
        kind: "columns",
        points: messages.map(({ p100Ms }, i) => ({ x: i + 1, y: p100Ms })),
      },
    ],
    tables: kernelTable(measured),
    caveats: bytesPerConnection?.isKernelOfBothEnds
      ? ["Kernel memory is that of both ends of each connection; half of it is the server's."]
      : [],
    errors,
  };
}

function connectMetrics(measured: ConnectMeasurement): Metric[] {
  const {
    users,
    gateways,
    connection,
    bytesPerConnection: bytes,
    counts,
    messages,
    hold,
    registration,
  } = measured;
  const labels: Labels = { members: users, gateways: gateways ?? 0 };
  const times = messages.map(({ p100Ms }) => p100Ms);
  const known = times.includes(null) ? null : spread(times as number[]);
  const hasMessages = messages.length > 0;
  const cpu = hold?.cpuSecondsPerConnectionHour ?? null;
  const moments = [
    ["before connecting", measured.server.beforeConnect],
    ["all online", measured.server.connected],
    ["after the hold", measured.server.afterHold],
    ["after the messages", measured.server.afterMessages],
  ] as const;
  return [
    ...metrics(
      {
        worstMs: hasMessages ? (known?.max ?? null) : undefined,
        medianMs: hasMessages ? (known?.median ?? null) : undefined,
        lost: counts.lost,
        duplicates: counts.duplicates,
        outOfOrder: counts.outOfOrder,
        corrupted: counts.corrupted,
        unstored: counts.stored === null ? undefined : Math.max(0, counts.acknowledged - counts.stored),
        dropped: counts.dropped,
        connectsPerSecond: connection?.perSecond ?? null,
        connectsPerCpuSecond: connection?.perServerCpuSecond ?? undefined,
        onlineP99Ms: connection?.onlineMs?.p99,
        rssPerConnectionBytes: bytes?.server ?? null,
        kernelPerConnectionBytes: bytes?.kernel ?? undefined,
        testerBytesPerConnection: bytes?.tester,
        rssGrowthBytes: hold?.rssGrowthBytes ?? undefined,
        cpuMsPerConnectionHour: cpu === null ? undefined : cpu * 1000,
        heldMs: hold?.heldMs,
        online: counts.online,
        gaveUp: counts.gaveUp,
        sent: counts.sent,
        acknowledged: counts.acknowledged,
        stored: counts.stored ?? undefined,
        expected: counts.expected,
        received: counts.received,
        resyncs: counts.resyncs,
        registrationsPerSecond: registration?.perSecond,
        otherProgramsCores: measured.otherProgramsCores ?? undefined,
      },
      labels,
    ),
    ...Object.entries(bytes?.serverByKind ?? {}).flatMap(([process, rssPerConnectionBytes]) =>
      metrics({ rssPerConnectionBytes }, { ...labels, process }),
    ),
    ...moments.flatMap(([when, usage]) =>
      metrics({ rssBytes: usage?.rssBytes ?? undefined }, { ...labels, when }),
    ),
  ];
}

function kernelTable({ bytesPerConnection }: ConnectMeasurement): TextTable[] {
  const objects = bytesPerConnection?.kernelObjects ?? [];
  if (objects.length === 0) return [];
  return [
    { label: "Kernel objects per connection", rows: objects.map(({ name, bytes }) => [name, kib(bytes)]) },
  ];
}
