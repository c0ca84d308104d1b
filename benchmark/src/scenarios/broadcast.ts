import { defaultGatewayThreads } from "@fanfare/kernel/gateway-threads";
import { addressNeeds } from "../targets/address-needs.ts";
import { usageError } from "../cli/exit.ts";
import { plannedMessages, type BroadcastPlan } from "../kernels/broadcast/broadcast-plan.ts";
import type { BroadcastMeasurement } from "../kernels/broadcast/broadcast-summary.ts";
import { measureBroadcast } from "../kernels/broadcast/broadcast-run.ts";
import { checkLimits } from "../cli/preflight.ts";
import { count, ms, whole } from "../report/format.ts";
import type { Outcome } from "../report/result.ts";
import { existingUsers } from "../targets/existing-users.ts";
import { openServer } from "../targets/open-target.ts";
import {
  CLUSTER_OPTIONS,
  clusterSizeOf,
  choice,
  EXISTING_USERS_OPTIONS,
  flag,
  integer,
  MAX_PROCESSES,
  option,
  PAYLOAD_OPTIONS,
  RECEIVER_OPTIONS,
  SERVER_OPTIONS,
  threadCount,
  time,
  wholeNumbers,
  type OptionValues,
} from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import {
  BROADCAST_METRICS,
  broadcastDistributions,
  broadcastMetrics,
  broadcastSeries,
} from "./broadcast-outcome.ts";

export const MOST_USERS = 1_000_000;

export const USERS_OPTION = integer("Receivers", "Members who are online and receive", {
  default: 1000,
  alias: "u",
  min: 1,
  max: MOST_USERS,
});

/** The options of every scenario that broadcasts messages one by one. */
export const MESSAGE_OPTIONS = {
  ...RECEIVER_OPTIONS,
  ...PAYLOAD_OPTIONS,
  messages: integer("Messages", "Warm messages, sent one at a time", {
    default: 20,
    alias: "m",
    min: 1,
    max: 10_000,
  }),
  warmup: integer("Messages", "Warm-up messages, before the idle time and the cold message", {
    default: 3,
    min: 0,
    max: 10_000,
  }),
  burst: option(
    "Messages",
    "Bursts of this many messages at the end, for example 20,100",
    "string",
    { default: "" },
    (name, given: string) => (given === "" ? [] : wholeNumbers(name, given, 1, 10_000)),
  ),
  "burst-repeats": integer("Messages", "How often each burst is sent", { default: 3, min: 1, max: 1000 }),
  interval: time("Messages", "Time between full delivery of a message and the next one", {
    default: "200ms",
  }),
  idle: time("Messages", "Idle time before the cold message", { default: "2s" }),
  timeout: time("Messages", "How long to wait for the last member", { default: "30s", minMs: 100 }),
  client: choice(
    "Receivers",
    "Receivers: light ones, or the official client (a bottleneck above some 5,000 users)",
    { default: "light", choices: ["light", "socket.io"] },
  ),
  probes: integer("Receivers", "Official clients among the users, to verify light ones", {
    default: 20,
    min: 0,
    max: 1000,
  }),
  "connect-timeout": time("Receivers", "Timeout of a connection attempt", { default: "10s", minMs: 100 }),
  "gateway-threads": integer(
    "Server",
    "Threads that write to sockets, of a Fanfare started for the run; 0: none",
    {
      default: defaultGatewayThreads(),
      defaultDescription: "the server's own default",
      min: 0,
      max: MAX_PROCESSES,
    },
  ),
};

/** The same for several broadcasts one after the other. */
export const REPEATED_MESSAGE_OPTIONS = {
  ...MESSAGE_OPTIONS,
  burst: { ...MESSAGE_OPTIONS.burst, default: "20,100" },
  "burst-repeats": { ...MESSAGE_OPTIONS["burst-repeats"], default: 1 },
};

/** Of commands that measure servers in turns. */
export const passesOption = (times: number) =>
  integer("Server", "Interleaved passes", { default: times, min: 1, max: 1000 });

export function broadcastPlan(values: OptionValues<typeof MESSAGE_OPTIONS>, users: number): BroadcastPlan {
  const kind = values.client === "light" ? "light" : "official";
  return {
    users,
    kind,
    probes: kind === "light" ? Math.min(values.probes, users - 1) : 0,
    workers: threadCount(values.threads, users),
    napMs: values.nap,
    window: values.connecting,
    connectTimeoutMs: values.connectTimeout,
    idleMs: values.idle,
    warmup: values.warmup,
    messages: values.messages,
    intervalMs: values.interval,
    bursts: values.burst,
    burstRepeats: values.burstRepeats,
    timeoutMs: values.timeout,
    payloadBytes: values.payload,
    gatewayThreads: values.gatewayThreads,
  };
}

/** @throws {ExitError} listing everything that would fail halfway */
export async function checkBroadcastLimits(plan: BroadcastPlan, url?: string): Promise<void> {
  checkLimits({ ...plan, messages: plannedMessages(plan), ...(await addressNeeds(url)) });
}

export const broadcast = scenario({
  name: "broadcast",
  describe: "Time until the last of N members has a message",
  metrics: BROADCAST_METRICS,
  options: {
    ...SERVER_OPTIONS,
    ...EXISTING_USERS_OPTIONS,
    ...CLUSTER_OPTIONS,
    ...MESSAGE_OPTIONS,
    users: USERS_OPTION,
    each: flag("Result", "Also print a line for each message"),
  },
  examples: [
    ["$0 broadcast --users 10000", "one message at a time to 10,000 members"],
    ["$0 broadcast -u 10000 --burst 20,100", "then bursts of 20 and 100"],
    ["$0 broadcast -u 10000 --gateways 2", "a cluster, with the members spread over two gateways"],
    ["$0 broadcast -u 500 --url http://127.0.0.1:3000", "a running server"],
    ["$0 broadcast -u 1000 --threshold 'worstMs<100'", "for CI: exit code 99 if slower"],
  ],
  async plan(values) {
    const plan = broadcastPlan(values, values.users);
    const { target, url, metricsUrl, each } = values;
    const cluster = clusterSizeOf(values);
    if (cluster && (url !== undefined || target !== "fanfare")) {
      throw usageError("--gateways and --workers start a cluster for the run: omit --url and --target.");
    }
    const existing = await existingUsers(values, plan.users);
    await checkBroadcastLimits(plan, url);
    return {
      options: { ...plan, target, cluster },
      async measure(context: RunContext) {
        const { gatewayThreads, window: registrations } = plan;
        const place = { url, cluster, metricsUrl, gatewayThreads, registrations, existing };
        const server = await openServer(context, target, place);
        const prepared = await server.prepare(plan.users, context.progress, context.signal);
        const measurement = await measureBroadcast({ ...context, target: server, prepared, plan });
        return broadcastOutcome(measurement, { plan, each, isCluster: cluster !== undefined });
      },
    };
  },
});

function broadcastOutcome(
  measurement: BroadcastMeasurement,
  { plan, each, isCluster }: { plan: BroadcastPlan; each: boolean; isCluster: boolean },
): Outcome {
  const { users, target, client, rounds, generator, server } = measurement;
  const threads = target.name === "fanfare" && target.isThrowaway && !isCluster;
  const receivers = client.kind === "light" ? "light receiver" : "official client";
  return {
    title: `Broadcast to ${count(users, "member")}`,
    subtitle: [
      target.isThrowaway ? `${target.name}, started for this run` : `${target.name} at ${target.url}`,
      ...(threads ? [count(plan.gatewayThreads!, "gateway thread")] : []),
      `${count(users - client.probes, receivers)} in ${count(client.workers, "thread")}`,
      ...(client.probes > 0 ? [count(client.probes, "official client")] : []),
    ],
    metrics: broadcastMetrics(measurement),
    distributions: broadcastDistributions(measurement),
    series: broadcastSeries(measurement),
    tables: each ? [{ label: "Messages one by one", rows: roundRows(rounds) }] : [],
    caveats: [
      ...generator.verdicts,
      ...(server.connected === null ? ["Server metrics unavailable; pass --metrics-url."] : []),
    ],
  };
}

function roundRows(rounds: BroadcastMeasurement["rounds"]): string[][] {
  return [
    ["", "acknowledged", "p50", "p99", "last member", "received", "lost", "duplicates", "out of order"],
    ...rounds.map((round) => [
      round.kind,
      ms(round.ackMs),
      ms(round.latencyMs?.p50),
      ms(round.latencyMs?.p99),
      ms(round.p100Ms),
      ...[round.received, round.lost, round.duplicates, round.outOfOrder].map(whole),
    ]),
  ];
}
