import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import type { CapacityPlan } from "../capacity/capacity-plan.ts";
import { CAPACITY_METRICS, capacityMetrics } from "../capacity/capacity-result.ts";
import { measureCapacity } from "../capacity/capacity-run.ts";
import { capacitySummary } from "../capacity/capacity-summary.ts";
import { usageError } from "../exit.ts";
import { MIN_PAYLOAD_BYTES } from "../receiver/message-tag.ts";
import type { CapacityResult } from "../report/result.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { runCommand } from "../run-command.ts";
import { KNOWN_TARGETS, openTarget } from "../targets/open-target.ts";
import { addressNeeds } from "./address-needs.ts";
import { MAX_PAYLOAD_BYTES, RESULT_OPTIONS, threadCount, wholeNumber } from "./options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

const SEARCHES = ["users", "rate"] as const;
const MOST_SEARCHED_PER_SECOND = 50_000;

export const capacityCommand: CommandModule<object, Arguments> = {
  command: "capacity",
  describe:
    "How many members, and messages per second, stay within a p100, and which resource is exhausted first",
  builder,
  handler,
};

function builder(yargs: Argv) {
  return yargs
    .option("p100", {
      group: "Search:",
      type: "number",
      default: 200,
      describe: "Milliseconds within which every message must reach all members",
    })
    .option("search", {
      group: "Search:",
      choices: [...SEARCHES, "both"] as const,
      default: "both" as const,
      describe: "Search for members online in one group, messages per second, or both in turn",
    })
    .option("most-users", {
      group: "Search:",
      type: "number",
      default: 20_000,
      describe: "Upper limit of the search for members",
    })
    .option("most-rate", {
      group: "Search:",
      type: "number",
      default: 20_000,
      describe: "Upper limit of the search for messages per second",
    })
    .option("members", {
      group: "Search:",
      type: "number",
      default: 100,
      describe: "Members online during the search for messages per second",
    })
    .option("senders", {
      group: "Search:",
      type: "number",
      default: 10,
      describe: "Additional members who send",
    })
    .option("seconds", {
      group: "Search:",
      type: "number",
      default: 3,
      describe: "How long each rate is sustained",
    })
    .option("precision", {
      group: "Search:",
      type: "number",
      default: 10,
      describe: "Percentage between the passing and the failing value at which a search ends",
    })
    .option("url", {
      group: "Server:",
      type: "string",
      describe: "URL of the server to measure; default: start one for the run and remove it",
    })
    .option("metrics-url", {
      group: "Server:",
      type: "string",
      describe: "URL of the server's metrics (Prometheus text)",
    })
    .option("target", {
      group: "Server:",
      type: "string",
      default: "fanfare",
      describe: `Kind of server: ${KNOWN_TARGETS.join(", ")}, or the file of a plug-in. All except fanfare: --search users`,
    })
    .option("threads", {
      group: "Audience:",
      type: "string",
      default: "auto",
      describe: "Receiving threads",
    })
    .option("connecting", {
      group: "Audience:",
      type: "number",
      default: 100,
      describe: "Concurrent connection attempts and registrations",
    })
    .option("payload", {
      group: "Audience:",
      type: "number",
      default: 100,
      describe: `Message size in bytes of text, ${MIN_PAYLOAD_BYTES} to ${MAX_PAYLOAD_BYTES}`,
    })
    .options(RESULT_OPTIONS)
    .example("$0 capacity --p100 200", "both searches, on a server started for them")
    .example(
      "$0 capacity --p100 1000 --search users --url http://127.0.0.1:3000",
      "members, on a running server",
    )
    .example("$0 capacity --threshold 'users>=5000'", "for CI: exit code 99 if lower");
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const plan = planOf(args);
  if (plan.searches.includes("rate") && args.target !== "fanfare") {
    throw usageError(`--target ${args.target} only supports the search for members: add --search users.`);
  }
  const thresholds = parseThresholds(args.threshold, CAPACITY_METRICS);
  const where = await addressNeeds(args.url, plan.kind);
  await runCommand<CapacityResult>({
    command: "capacity",
    options: { ...plan, target: args.target },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds,
    metrics: capacityMetrics,
    async measure({ progress, errors, signal, defer }) {
      const options = {
        urls: args.url === undefined ? [] : [args.url],
        cluster: undefined,
        metricsUrl: args.metricsUrl,
        registrationConcurrency: plan.window,
        onError: (code: string) => errors.add("api", code),
      };
      const target = await openTarget(args.target, options, signal);
      defer(() => target.close());
      return measureCapacity({ target, plan, where, progress, errors, signal });
    },
    print: capacitySummary,
  });
}

/** @throws {ExitError} naming the first invalid option */
function planOf(args: ArgumentsCamelCase<Arguments>): CapacityPlan {
  const mostUsers = wholeNumber("most-users", args.mostUsers, 1, 1_000_000);
  return {
    p100LimitMs: wholeNumber("p100", args.p100, 1, 600_000),
    searches: args.search === "both" ? SEARCHES : [args.search],
    mostUsers,
    mostPerSecond: wholeNumber("most-rate", args.mostRate, 1, MOST_SEARCHED_PER_SECOND),
    members: wholeNumber("members", args.members, 1, 100_000),
    senders: wholeNumber("senders", args.senders, 1, 10_000),
    rateMs: 1000 * wholeNumber("seconds", args.seconds, 1, 3600),
    precision: 1 + wholeNumber("precision", args.precision, 1, 100) / 100,
    kind: "light",
    workers: threadCount(args.threads, mostUsers),
    napMs: 1,
    window: wholeNumber("connecting", args.connecting, 1, 10_000),
    connectTimeoutMs: 15_000,
    payloadBytes: wholeNumber("payload", args.payload, MIN_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES),
  };
}
