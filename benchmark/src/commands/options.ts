import os from "node:os";
import { defaultGatewayThreads } from "@fanfare/kernel/gateway-threads";
import type { Argv } from "yargs";
import type { BroadcastPlan } from "../measure/broadcast-plan.ts";
import type { ClusterSize } from "../platform/cluster.ts";
import { usageError } from "../exit.ts";
import { MIN_PAYLOAD_BYTES } from "../receiver/message-tag.ts";
import { FAULTS } from "../report/figures.ts";

export const MAX_PAYLOAD_BYTES = 4000;
export const MAX_PROCESSES = 64;

/** The options of every command with an audience. */
export function audienceOptions<T>(yargs: Argv<T>) {
  return roundOptions(
    yargs.option("users", {
      group: "Audience:",
      alias: "u",
      type: "number",
      default: 1000,
      describe: "Members who are online and receive",
    }),
  );
}

/** The same without the number of users. */
export function roundOptions<T>(yargs: Argv<T>) {
  return yargs
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
      type: "number",
      default: 200,
      describe: "Milliseconds between full delivery of a message and the next one",
    })
    .option("idle", {
      group: "Messages:",
      type: "number",
      default: 2000,
      describe: "Milliseconds of idle time before the cold message",
    })
    .option("timeout", {
      group: "Messages:",
      type: "number",
      default: 30_000,
      describe: "Milliseconds to wait for the last member",
    })
    .option("payload", {
      group: "Messages:",
      type: "number",
      default: 100,
      describe: `Message size in bytes of text, ${MIN_PAYLOAD_BYTES} to ${MAX_PAYLOAD_BYTES}`,
    })
    .option("client", {
      group: "Audience:",
      choices: ["light", "socket.io"] as const,
      default: "light" as const,
      describe: "Receivers: light ones, or the official client (a bottleneck above some 5,000 users)",
    })
    .option("probes", {
      group: "Audience:",
      type: "number",
      default: 20,
      describe: "Official clients among the users, to verify light ones",
    })
    .option("threads", {
      group: "Audience:",
      type: "string",
      default: "auto",
      describe: "Receiving threads",
    })
    .option("nap", {
      group: "Audience:",
      type: "number",
      default: 1,
      describe: "Milliseconds between reads of light receivers; 0 reads every frame immediately",
    })
    .option("connecting", {
      group: "Audience:",
      type: "number",
      default: 100,
      describe: "Concurrent connection attempts and registrations",
    })
    .option("gateway-threads", {
      group: "Server:",
      type: "number",
      default: defaultGatewayThreads(),
      defaultDescription: "the server's own default",
      describe: "Threads that write to sockets, of an instance started for the run; 0: none",
    })
    .option("connect-timeout", {
      group: "Audience:",
      type: "number",
      default: 10_000,
      describe: "Timeout of a connection attempt, in milliseconds",
    })
    .options(RESULT_OPTIONS);
}

/** Every command's options for its result. */
export const RESULT_OPTIONS = {
  json: {
    group: "Result:",
    type: "string",
    describe: "Write the result to this file (schema/result.v2.json)",
  },
  html: {
    group: "Result:",
    type: "string",
    describe: "Write a self-contained page with charts to this file",
  },
  threshold: {
    group: "Result:",
    type: "string",
    array: true,
    default: [] as string[],
    describe: "Exit with code 99 unless this holds, for example 'worst<1200' or 'lost==0'. Repeatable",
  },
  allow: {
    group: "Result:",
    type: "string",
    array: true,
    default: [] as string[],
    describe: `Exit with code 0 despite these faults: ${FAULTS.join(", ")} or all. Separate several by commas`,
  },
  progress: {
    group: "Result:",
    type: "boolean",
    describe: "Progress on stderr; default: only on a terminal",
  },
} as const;

/** For commands whose users are light receivers and that start their own cluster. */
export function crowdOptions<T>(yargs: Argv<T>) {
  return yargs
    .option("users", {
      group: "Audience:",
      alias: "u",
      type: "number",
      default: 1000,
      describe: "Members who are online and receive",
    })
    .option("threads", {
      group: "Audience:",
      type: "string",
      default: "auto",
      describe: "Receiving threads",
    })
    .option("nap", {
      group: "Audience:",
      type: "number",
      default: 1,
      describe: "Milliseconds between reads of light receivers; 0 reads every frame immediately",
    })
    .option("connecting", {
      group: "Audience:",
      type: "number",
      default: 100,
      describe: "Concurrent connection attempts and registrations",
    })
    .option("payload", {
      group: "Messages:",
      type: "number",
      default: 100,
      describe: `Message size in bytes of text, ${MIN_PAYLOAD_BYTES} to ${MAX_PAYLOAD_BYTES}`,
    })
    .options(RESULT_OPTIONS);
}

/** The cluster that is started for the run. */
export function clusterOptions<T>(yargs: Argv<T>) {
  return yargs
    .option("gateways", {
      group: "Server:",
      type: "number",
      describe: "Start a cluster with this many gateways instead of a single instance",
    })
    .option("workers", {
      group: "Server:",
      type: "number",
      describe: "Worker processes of that cluster; default: 1",
    });
}

/**
 * undefined: no cluster requested.
 * @throws {ExitError}
 */
export function clusterSizeOf(args: {
  gateways: number | undefined;
  workers: number | undefined;
}): ClusterSize | undefined {
  if (args.gateways === undefined && args.workers === undefined) return undefined;
  return {
    gateways: wholeNumber("gateways", args.gateways ?? 1, 1, MAX_PROCESSES),
    workers: wholeNumber("workers", args.workers ?? 1, 1, MAX_PROCESSES),
  };
}

export interface AudienceArguments {
  users: number;
  messages: number;
  warmup: number;
  burst: string | undefined;
  burstRepeats: number;
  interval: number;
  idle: number;
  timeout: number;
  payload: number;
  client: "light" | "socket.io";
  probes: number;
  threads: string;
  nap: number;
  connecting: number;
  connectTimeout: number;
  gatewayThreads: number;
}

/** @throws {ExitError} naming the first invalid option */
export function planOf(args: AudienceArguments): BroadcastPlan {
  const users = wholeNumber("users", args.users, 1, 1_000_000);
  const kind = args.client === "light" ? "light" : "official";
  return {
    users,
    kind,
    probes: kind === "light" ? Math.min(wholeNumber("probes", args.probes, 0, 1000), users - 1) : 0,
    workers: threadCount(args.threads, users),
    napMs: wholeNumber("nap", args.nap, 0, 100),
    window: wholeNumber("connecting", args.connecting, 1, 10_000),
    connectTimeoutMs: wholeNumber("connect-timeout", args.connectTimeout, 100, 600_000),
    idleMs: wholeNumber("idle", args.idle, 0, 3_600_000),
    warmup: wholeNumber("warmup", args.warmup, 0, 10_000),
    messages: wholeNumber("messages", args.messages, 1, 10_000),
    intervalMs: wholeNumber("interval", args.interval, 0, 3_600_000),
    bursts: (args.burst?.split(",") ?? []).map((size) => wholeNumber("burst", Number(size), 1, 10_000)),
    burstRepeats: wholeNumber("burst-repeats", args.burstRepeats, 1, 1000),
    timeoutMs: wholeNumber("timeout", args.timeout, 100, 3_600_000),
    payloadBytes: wholeNumber("payload", args.payload, MIN_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES),
    gatewayThreads: wholeNumber("gateway-threads", args.gatewayThreads, 0, MAX_PROCESSES),
  };
}

/** @throws {ExitError} unless the option is an integer within these bounds */
export function wholeNumber(option: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw usageError(`--${option} must be an integer from ${min} to ${max}.`);
}

/** One thread reads some 200,000 frames a second; on few cores a second thread competes with the server. */
export function threadCount(text: string, users: number): number {
  if (text === "auto") return Math.min(os.availableParallelism() >= 8 ? 2 : 1, users);
  return Math.min(wholeNumber("threads", Number(text), 1, 64), users);
}
