import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { usageError } from "../exit.ts";
import { MIN_PAYLOAD_BYTES } from "../receiver/message-tag.ts";
import { checkLimits } from "../preflight.ts";
import type { StormResult } from "../report/result.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { runCommand } from "../run-command.ts";
import { FAULTS, mostMessages, type Fault, type StormPlan } from "../storm/storm-plan.ts";
import { STORM_METRICS, stormMetrics } from "../storm/storm-result.ts";
import { measureStorm } from "../storm/storm-run.ts";
import { stormSummary } from "../storm/storm-summary.ts";
import { openFanfare } from "./open-fanfare.ts";
import {
  clusterOptions,
  clusterSizeOf,
  crowdOptions,
  MAX_PAYLOAD_BYTES,
  threadCount,
  wholeNumber,
} from "./options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

export const stormCommand: CommandModule<object, Arguments> = {
  command: "storm",
  describe: "Gateways restart and crash with members online: what is lost, and how long users are affected",
  builder,
  handler,
};

function builder(yargs: Argv) {
  return crowdOptions(clusterOptions(yargs))
    .default("gateways", 2)
    .option("sdk", {
      group: "Audience:",
      type: "number",
      default: 20,
      describe: "Users with the SDK, behind a load balancer; the others are light receivers",
    })
    .option("senders", {
      group: "Messages:",
      type: "number",
      default: 4,
      describe: "Number of SDK users who send",
    })
    .option("rate", {
      group: "Messages:",
      type: "number",
      default: 5,
      describe: "Messages per second in total",
    })
    .option("steady", {
      group: "Messages:",
      type: "number",
      default: 5000,
      describe: "Milliseconds without a fault, as the baseline",
    })
    .option("faults", {
      group: "Server:",
      type: "string",
      default: FAULTS.join(","),
      describe: "rolling: gateways restart one by one; kill: kill -9 of one; all: of all at once",
    })
    .option("timeout", {
      group: "Server:",
      type: "number",
      default: 60_000,
      describe: "Milliseconds to wait, per fault, until all have recovered",
    })
    .example("$0 storm -u 100 --gateways 0", "a single instance restarts")
    .example("$0 storm --users 10000", "two gateways: rolling restart, kill -9 of one, and of both")
    .example(
      "$0 storm -u 2000 --faults rolling --threshold 'lost==0' --threshold 'rollingP100<1000'",
      "for CI",
    );
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const plan = planOf(args);
  const thresholds = parseThresholds(args.threshold, STORM_METRICS);
  const canSpreadAddresses = process.platform === "linux";
  const messages = mostMessages(plan);
  checkLimits({ users: plan.users, messages, kind: "light", isLocalServer: true, canSpreadAddresses });
  await runCommand<StormResult>({
    command: "storm",
    options: { ...plan },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds,
    metrics: stormMetrics,
    async measure(context) {
      const { progress, errors, signal } = context;
      const registrations = Math.min(plan.window, MAX_REGISTRATIONS);
      const target = await openFanfare(context, { cluster: plan.cluster, registrations });
      return measureStorm({ target, plan, progress, errors, signal });
    },
    print: stormSummary,
  });
}

const MAX_REGISTRATIONS = 100;
const CONNECT_TIMEOUT_MS = 15_000;

function planOf(args: ArgumentsCamelCase<Arguments>): StormPlan {
  const sdk = wholeNumber("sdk", args.sdk, 1, 500);
  const users = wholeNumber("users", args.users, sdk + 1, 1_000_000);
  if (!(args.rate > 0 && args.rate <= 1000)) throw usageError("--rate must be above 0 and at most 1000.");
  return {
    users,
    sdk,
    senders: wholeNumber("senders", args.senders, 1, sdk),
    cluster: args.gateways === 0 ? undefined : clusterSizeOf(args),
    faults: faultNames(args.faults),
    messagesPerSecond: args.rate,
    steadyMs: wholeNumber("steady", args.steady, 1000, 600_000),
    timeoutMs: wholeNumber("timeout", args.timeout, 1000, 600_000),
    workers: threadCount(args.threads, users),
    napMs: wholeNumber("nap", args.nap, 0, 100),
    // Reconnecting clients don't wait for each other.
    window: users,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    payloadBytes: wholeNumber("payload", args.payload, MIN_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES),
  };
}

function faultNames(text: string): Fault[] {
  const names = text.split(",");
  const unknown = names.filter((name) => !FAULTS.some((known) => known === name));
  if (unknown.length === 0) return names as Fault[];
  throw usageError(`--faults: unknown ${unknown.join(", ")}. Choices: ${FAULTS.join(", ")}.`);
}
