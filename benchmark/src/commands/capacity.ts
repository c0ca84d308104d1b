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
    "How many members, and how many messages a second, are possible within a p100; and what gives out first",
  builder,
  handler,
};

function builder(yargs: Argv) {
  return yargs
    .option("p100", {
      group: "Search:",
      type: "number",
      default: 200,
      describe: "Milliseconds within which every message has to be at all members",
    })
    .option("search", {
      group: "Search:",
      choices: [...SEARCHES, "both"] as const,
      default: "both" as const,
      describe: "Members online in one group, messages a second, or one after the other",
    })
    .option("most-users", {
      group: "Search:",
      type: "number",
      default: 20_000,
      describe: "Bound of the search for members",
    })
    .option("most-rate", {
      group: "Search:",
      type: "number",
      default: 20_000,
      describe: "Bound of the search for messages a second",
    })
    .option("members", {
      group: "Search:",
      type: "number",
      default: 100,
      describe: "Members online while messages a second are searched",
    })
    .option("senders", {
      group: "Search:",
      type: "number",
      default: 10,
      describe: "Members who send them, besides",
    })
    .option("seconds", {
      group: "Search:",
      type: "number",
      default: 3,
      describe: "How long each rate is kept up",
    })
    .option("precision", {
      group: "Search:",
      type: "number",
      default: 10,
      describe: "Per cent between what holds and what does not at which a search ends",
    })
    .option("url", {
      group: "Server:",
      type: "string",
      describe: "The server to measure; without it one is started for the run and removed",
    })
    .option("metrics-url", {
      group: "Server:",
      type: "string",
      describe: "Where the server's own figures are (Prometheus text)",
    })
    .option("target", {
      group: "Server:",
      type: "string",
      default: "fanfare",
      describe: `The kind of server: ${KNOWN_TARGETS.join(", ")}, or the file of a plug-in. All but fanfare: --search users`,
    })
    .option("threads", {
      group: "Audience:",
      type: "string",
      default: "auto",
      describe: "Threads that receive",
    })
    .option("connecting", {
      group: "Audience:",
      type: "number",
      default: 100,
      describe: "Connections, and registrations, made at the same time",
    })
    .option("payload", {
      group: "Audience:",
      type: "number",
      default: 100,
      describe: `Bytes of text in a message, ${MIN_PAYLOAD_BYTES} to ${MAX_PAYLOAD_BYTES}`,
    })
    .options(RESULT_OPTIONS)
    .example("$0 capacity --p100 200", "both searches, of a server that is started for them")
    .example(
      "$0 capacity --p100 1000 --search users --url http://127.0.0.1:3000",
      "members, on a running server",
    )
    .example("$0 capacity --threshold 'users>=5000'", "for CI: exit code 99 when fewer");
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const plan = planOf(args);
  if (plan.searches.includes("rate") && args.target !== "fanfare") {
    throw usageError(`--target ${args.target} is searched for members only: add --search users.`);
  }
  const thresholds = parseThresholds(args.threshold, CAPACITY_METRICS);
  const where = await addressNeeds(args.url, plan.kind);
  await runCommand<CapacityResult>({
    command: "capacity",
    options: { ...plan, target: args.target },
    json: args.json,
    html: args.html,
    progress: args.progress,
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
