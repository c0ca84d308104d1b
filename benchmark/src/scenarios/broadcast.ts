import { defaultGatewayThreads } from "@fanfare/kernel/gateway-threads";
import type { Argv } from "yargs";
import { addressNeeds } from "../targets/address-needs.ts";
import { usageError } from "../cli/exit.ts";
import { plannedMessages, type BroadcastPlan } from "../kernels/broadcast/broadcast-plan.ts";
import type { BroadcastMeasurement } from "../kernels/broadcast/broadcast-result.ts";
import { measureBroadcast } from "../kernels/broadcast/broadcast-run.ts";
import { checkLimits } from "../cli/preflight.ts";
import { count, ms, whole } from "../report/format.ts";
import type { Outcome } from "../report/result.ts";
import { openTarget } from "../targets/open-target.ts";
import {
  clusterOptions,
  clusterSizeOf,
  duration,
  MAX_PROCESSES,
  payloadBytes,
  payloadOption,
  receiverOptions,
  serverOptions,
  threadCount,
  wholeNumber,
  wholeNumbers,
} from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import {
  BROADCAST_METRICS,
  broadcastDistributions,
  broadcastMetrics,
  broadcastSeries,
} from "./broadcast-outcome.ts";

export const broadcast = scenario({
  name: "broadcast",
  describe: "Time until the last of N members has a message",
  metrics: BROADCAST_METRICS,
  options: (yargs: Argv) =>
    usersOption(messageOptions(clusterOptions(serverOptions(yargs))))
      .option("each", {
        group: "Result:",
        type: "boolean",
        default: false,
        describe: "Also print a line for each message",
      })
      .example("$0 broadcast --users 10000", "one message at a time to 10,000 members")
      .example("$0 broadcast -u 10000 --burst 20,100", "then bursts of 20 and 100")
      .example("$0 broadcast -u 10000 --gateways 2", "a cluster, with the members spread over two gateways")
      .example("$0 broadcast -u 500 --url http://127.0.0.1:3000", "a running server")
      .example("$0 broadcast -u 1000 --threshold 'worstMs<100'", "for CI: exit code 99 if slower"),
  async plan(args) {
    const plan = broadcastPlan(args, wholeNumber("users", args.users, 1, 1_000_000));
    const { target, url, metricsUrl, each } = args;
    const cluster = clusterSizeOf(args);
    if (cluster && (url !== undefined || target !== "fanfare")) {
      throw usageError("--gateways and --workers start a cluster for the run: omit --url and --target.");
    }
    checkLimits({ ...plan, messages: plannedMessages(plan), ...(await addressNeeds(url, plan.kind)) });
    return {
      options: { ...plan, target, cluster },
      async measure(context: RunContext) {
        const { progress, errors, signal, defer } = context;
        const options = {
          urls: url === undefined ? [] : [url],
          cluster,
          metricsUrl,
          gatewayThreads: plan.gatewayThreads!,
          registrationConcurrency: plan.window,
          onError: (code: string) => errors.add("api", code),
        };
        const server = await openTarget(target, options, signal);
        defer(() => server.close());
        const prepared = await server.prepare(plan.users, progress, signal);
        const measurement = await measureBroadcast({
          target: server,
          prepared,
          plan,
          progress,
          errors,
          signal,
        });
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
    errors: measurement.errors,
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

export function usersOption<T>(yargs: Argv<T>) {
  return yargs.option("users", {
    group: "Receivers:",
    alias: "u",
    type: "number",
    default: 1000,
    describe: "Members who are online and receive",
  });
}

/** The options of every scenario that broadcasts messages one by one. */
export function messageOptions<T>(yargs: Argv<T>) {
  return payloadOption(receiverOptions(yargs))
    .option("messages", {
      group: "Messages:",
      alias: "m",
      type: "number",
      default: 20,
      describe: "Warm messages, sent one at a time",
    })
    .option("warmup", {
      group: "Messages:",
      type: "number",
      default: 3,
      describe: "Warm-up messages, before the idle time and the cold message",
    })
    .option("burst", {
      group: "Messages:",
      type: "string",
      default: "",
      describe: "Bursts of this many messages at the end, for example 20,100",
    })
    .option("burst-repeats", {
      group: "Messages:",
      type: "number",
      default: 3,
      describe: "How often each burst is sent",
    })
    .option("interval", {
      group: "Messages:",
      type: "string",
      default: "200ms",
      describe: "Time between full delivery of a message and the next one",
    })
    .option("idle", {
      group: "Messages:",
      type: "string",
      default: "2s",
      describe: "Idle time before the cold message",
    })
    .option("timeout", {
      group: "Messages:",
      type: "string",
      default: "30s",
      describe: "How long to wait for the last member",
    })
    .option("client", {
      group: "Receivers:",
      choices: ["light", "socket.io"] as const,
      default: "light" as const,
      describe: "Receivers: light ones, or the official client (a bottleneck above some 5,000 users)",
    })
    .option("probes", {
      group: "Receivers:",
      type: "number",
      default: 20,
      describe: "Official clients among the users, to verify light ones",
    })
    .option("connect-timeout", {
      group: "Receivers:",
      type: "string",
      default: "10s",
      describe: "Timeout of a connection attempt",
    })
    .option("gateway-threads", {
      group: "Server:",
      type: "number",
      default: defaultGatewayThreads(),
      defaultDescription: "the server's own default",
      describe: "Threads that write to sockets, of a Fanfare started for the run; 0: none",
    });
}

export interface MessageArguments {
  messages: number;
  warmup: number;
  burst: string;
  burstRepeats: number;
  interval: string;
  idle: string;
  timeout: string;
  payload: number;
  client: "light" | "socket.io";
  probes: number;
  threads: string;
  nap: number;
  connecting: number;
  connectTimeout: string;
  gatewayThreads: number;
}

/** @throws {ExitError} naming the first invalid option */
export function broadcastPlan(args: MessageArguments, users: number): BroadcastPlan {
  const kind = args.client === "light" ? "light" : "official";
  return {
    users,
    kind,
    probes: kind === "light" ? Math.min(wholeNumber("probes", args.probes, 0, 1000), users - 1) : 0,
    workers: threadCount(args.threads, users),
    napMs: wholeNumber("nap", args.nap, 0, 100),
    window: wholeNumber("connecting", args.connecting, 1, 10_000),
    connectTimeoutMs: duration("connect-timeout", args.connectTimeout, 100),
    idleMs: duration("idle", args.idle),
    warmup: wholeNumber("warmup", args.warmup, 0, 10_000),
    messages: wholeNumber("messages", args.messages, 1, 10_000),
    intervalMs: duration("interval", args.interval),
    bursts: args.burst === "" ? [] : wholeNumbers("burst", args.burst, 1, 10_000),
    burstRepeats: wholeNumber("burst-repeats", args.burstRepeats, 1, 1000),
    timeoutMs: duration("timeout", args.timeout, 100),
    payloadBytes: payloadBytes(args.payload),
    gatewayThreads: wholeNumber("gateway-threads", args.gatewayThreads, 0, MAX_PROCESSES),
  };
}
