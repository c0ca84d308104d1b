import { defaultGatewayThreads } from "@fanfare/kernel/gateway-threads";
import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { usageError } from "../exit.ts";
import { mostMessages, MOST_PER_SECOND, type OverloadPlan } from "../overload/overload-plan.ts";
import { OVERLOAD_METRICS, overloadMetrics } from "../overload/overload-result.ts";
import { measureOverload } from "../overload/overload-run.ts";
import { overloadSummary } from "../overload/overload-summary.ts";
import { checkLimits } from "../preflight.ts";
import { MIN_PAYLOAD_BYTES } from "../receiver/message-tag.ts";
import type { OverloadResult, PressureResult } from "../report/result.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { PRESSURE_METRICS, pressureMetrics } from "../pressure/pressure-result.ts";
import { measurePressure } from "../pressure/pressure-run.ts";
import { pressureSummary } from "../pressure/pressure-summary.ts";
import { runCommand } from "../run-command.ts";
import { openFanfare, openFanfareApi } from "./open-fanfare.ts";
import {
  clusterOptions,
  clusterSizeOf,
  crowdOptions,
  MAX_PAYLOAD_BYTES,
  threadCount,
  wholeNumber,
} from "./options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

export const overloadCommand: CommandModule<object, Arguments> = {
  command: "overload",
  describe: "Sends twice the server's capacity: what happens to the server and the messages",
  builder,
  handler,
};

/** Applied after the arguments are checked, because `conflicts` treats a default like a given option. */
const DEFAULTS = {
  users: 100,
  senders: 50,
  stalled: 1,
  factor: 2,
  threads: "auto",
  nap: 1,
  connecting: 100,
  payload: 100,
};
const NOT_MIXED = [
  "gateways",
  "workers",
  "senders",
  "stalled",
  "factor",
  "capacity",
  "threads",
  "nap",
  "connecting",
  "payload",
];

function builder(yargs: Argv) {
  const options = crowdOptions(clusterOptions(yargs))
    .option("senders", {
      group: "Messages:",
      type: "number",
      default: DEFAULTS.senders,
      describe: "Additional members who send",
    })
    .option("stalled", {
      group: "Audience:",
      type: "number",
      default: DEFAULTS.stalled,
      describe: "Additional members with a hung client: an open connection that is never read",
    })
    .option("seconds", {
      group: "Messages:",
      type: "number",
      default: 60,
      describe: "How long the overload lasts; no other phase lasts longer",
    })
    .option("factor", {
      group: "Messages:",
      type: "number",
      default: DEFAULTS.factor,
      describe: "Multiple of the capacity to send",
    })
    .option("capacity", {
      group: "Messages:",
      type: "number",
      describe: "The server's capacity in messages per second; default: measure it first",
    })
    .option("reads", {
      group: "Mode:",
      type: "boolean",
      describe: "Instead: 1, then 20 hostile guests read as fast as their limits allow; only with --seconds",
    })
    .option("mixed", {
      group: "Mode:",
      type: "boolean",
      describe:
        "Instead: messages, reads, connections and uploads at 3 times the capacity; with --users, --seconds",
    })
    .conflicts({ reads: ["mixed", "users", ...NOT_MIXED], mixed: NOT_MIXED })
    .example("$0 overload --reads", "whether hostile reads within the limits slow others down")
    .example(
      "$0 overload --users 100 --seconds 60",
      "measures the capacity, and sends twice as much for a minute",
    )
    .example("$0 overload --threshold 'unstored==0' --threshold 'normalAfterMs<5000'", "for CI");
  for (const [name, value] of Object.entries(DEFAULTS))
    options.default(name, undefined, JSON.stringify(value));
  options.middleware((args) => {
    for (const [name, value] of Object.entries(DEFAULTS)) args[name] ??= value;
  });
  return options;
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  if (args.reads === true || args.mixed === true) return underPressure(args);
  const plan = planOf(args);
  const thresholds = parseThresholds(args.threshold, OVERLOAD_METRICS);
  const canSpreadAddresses = process.platform === "linux";
  const users = plan.users + plan.senders + plan.stalled;
  // One bit per arrival instead of a 64-bit time.
  const messages = Math.ceil(mostMessages(plan) / 64);
  checkLimits({ users, messages, kind: "light", isLocalServer: true, canSpreadAddresses });
  await runCommand<OverloadResult>({
    command: "overload",
    options: { ...plan },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds,
    metrics: overloadMetrics,
    async measure(context) {
      const { progress, errors, signal } = context;
      const target = await openFanfare(context, { cluster: plan.cluster, registrations: plan.window });
      return measureOverload({ target, plan, progress, errors, signal });
    },
    print: overloadSummary,
  });
}

const CALLS = 50;
const MIXED_FACTOR = 3;

async function underPressure(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const plan = {
    kind: args.reads === true ? ("reads" as const) : ("mixed" as const),
    users: wholeNumber("users", args.users, 1, 1000),
    factor: MIXED_FACTOR,
    phaseMs: 1000 * wholeNumber("seconds", args.seconds, 1, 600),
    gatewayThreads: defaultGatewayThreads(),
  };
  await runCommand<PressureResult>({
    command: "pressure",
    options: { ...plan },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds: parseThresholds(args.threshold, PRESSURE_METRICS),
    metrics: pressureMetrics,
    async measure(context) {
      const { target, api } = await openFanfareApi(context, { registrations: CALLS }, CALLS);
      return measurePressure(target, api, plan, context);
    },
    print: pressureSummary,
  });
}

function planOf(args: ArgumentsCamelCase<Arguments>): OverloadPlan {
  const users = wholeNumber("users", args.users, 1, 100_000);
  if (!(args.factor > 0 && args.factor <= 100)) throw usageError("--factor must be above 0 and at most 100.");
  return {
    users,
    senders: wholeNumber("senders", args.senders, 1, 1000),
    stalled: wholeNumber("stalled", args.stalled, 0, 1000),
    cluster: clusterSizeOf(args),
    factor: args.factor,
    capacity:
      args.capacity === undefined ? undefined : wholeNumber("capacity", args.capacity, 1, MOST_PER_SECOND),
    overloadMs: 1000 * wholeNumber("seconds", args.seconds, 1, 600),
    workers: threadCount(args.threads, users),
    napMs: wholeNumber("nap", args.nap, 0, 100),
    window: wholeNumber("connecting", args.connecting, 1, 10_000),
    payloadBytes: wholeNumber("payload", args.payload, MIN_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES),
  };
}
