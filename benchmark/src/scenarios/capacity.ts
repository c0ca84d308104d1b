import type { Argv } from "yargs";
import type { CapacityPlan } from "../kernels/capacity/capacity-plan.ts";
import type {
  CapacityAttempt,
  CapacityMeasurement,
  CapacitySearch,
} from "../kernels/capacity/capacity-result.ts";
import { measureCapacity } from "../kernels/capacity/capacity-run.ts";
import {
  duration,
  payloadBytes,
  payloadOption,
  receiverOptions,
  serverOptions,
  threadCount,
  wholeNumber,
} from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { addressNeeds } from "../targets/address-needs.ts";
import { usageError } from "../cli/exit.ts";
import { ms, short, whole } from "../report/format.ts";
import { metrics } from "../report/metric.ts";
import type { Outcome, Series, TextTable } from "../report/result.ts";
import { openTarget } from "../targets/open-target.ts";

const SEARCHES = ["users", "rate"] as const;
const MOST_SEARCHED_PER_SECOND = 50_000;

export const capacity = scenario({
  name: "capacity",
  describe:
    "How many members, and messages per second, are served within a time, and which resource is exhausted first",
  metrics: ["membersWithinLimit", "messagesWithinLimit", "deliveriesPerSecond"],
  options: (yargs: Argv) =>
    payloadOption(receiverOptions(serverOptions(yargs)))
      .option("limit", {
        group: "Search:",
        type: "string",
        default: "200ms",
        describe: "Time within which every message must reach all members",
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
      .option("duration", {
        group: "Search:",
        type: "string",
        default: "3s",
        describe: "How long each rate is sustained",
      })
      .option("precision", {
        group: "Search:",
        type: "number",
        default: 10,
        describe: "Percentage between the passing and the failing value at which a search ends",
      })
      .example("$0 capacity --limit 200ms", "both searches, on a server started for them")
      .example(
        "$0 capacity --limit 1s --search users --url http://127.0.0.1:3000",
        "members, on a running server",
      )
      .example("$0 capacity --threshold 'membersWithinLimit>=5000'", "for CI: exit code 99 if lower"),
  async plan(args) {
    const mostUsers = wholeNumber("most-users", args.mostUsers, 1, 1_000_000);
    const plan: CapacityPlan = {
      p100LimitMs: duration("limit", args.limit, 1),
      searches: args.search === "both" ? SEARCHES : [args.search],
      mostUsers,
      mostPerSecond: wholeNumber("most-rate", args.mostRate, 1, MOST_SEARCHED_PER_SECOND),
      members: wholeNumber("members", args.members, 1, 100_000),
      senders: wholeNumber("senders", args.senders, 1, 10_000),
      rateMs: duration("duration", args.duration, 1000),
      precision: 1 + wholeNumber("precision", args.precision, 1, 100) / 100,
      kind: "light",
      workers: threadCount(args.threads, mostUsers),
      napMs: wholeNumber("nap", args.nap, 0, 100),
      window: wholeNumber("connecting", args.connecting, 1, 10_000),
      connectTimeoutMs: 15_000,
      payloadBytes: payloadBytes(args.payload),
    };
    if (plan.searches.includes("rate") && args.target !== "fanfare") {
      throw usageError(`--target ${args.target} only supports the search for members: add --search users.`);
    }
    const where = await addressNeeds(args.url, plan.kind);
    return {
      options: { ...plan, target: args.target },
      async measure({ progress, errors, signal, defer }: RunContext) {
        const options = {
          urls: args.url === undefined ? [] : [args.url],
          cluster: undefined,
          metricsUrl: args.metricsUrl,
          registrationConcurrency: plan.window,
          onError: (code: string) => errors.add("api", code),
        };
        const target = await openTarget(args.target, options, signal);
        defer(() => target.close());
        return capacityOutcome(
          await measureCapacity({ target, plan, where, progress, errors, signal }),
          signal.aborted,
        );
      },
    };
  },
});

function capacityOutcome(
  { target, searches, p100LimitMs, errors }: CapacityMeasurement,
  interrupted: boolean,
): Outcome {
  const labels = { limitMs: p100LimitMs };
  return {
    title: `Capacity of ${target.name}`,
    subtitle: [
      target.isThrowaway ? "started for this run" : target.url,
      `every message reaches everyone within ${short(p100LimitMs)} ms and nothing is lost; the maximum passed twice`,
    ],
    metrics: searches.flatMap(({ what, members, held }) => {
      const value = held?.value ?? null;
      return what === "users"
        ? metrics({ membersWithinLimit: value }, labels)
        : metrics(
            {
              messagesWithinLimit: value,
              deliveriesPerSecond: value === null ? null : value * (members ?? 0),
            },
            labels,
          );
    }),
    series: searches.map((search) => attemptSeries(search, p100LimitMs)),
    tables: searches.flatMap((search) => searchTables(search, interrupted)),
    errors,
  };
}

function headingOf({ what, members }: CapacitySearch): string {
  if (what === "users") return "Members online in one group";
  return `Messages per second, to ${whole(members ?? 0)} members online in one group`;
}

function attemptSeries(search: CapacitySearch, limitMs: number): Series {
  return {
    label: `${headingOf(search)}: time to the last member in each attempt; the limit is ${short(limitMs)} ms`,
    x: search.what === "users" ? "members online" : "messages per second",
    y: "ms",
    kind: "points",
    points: search.attempts
      .toSorted((a, b) => a.value - b.value)
      .map(({ value, worstMs, held }) => ({ x: value, y: worstMs, kind: held ? "passes" : "fails" })),
  };
}

function searchTables(search: CapacitySearch, interrupted: boolean): TextTable[] {
  const { held, failed, attempts, atMost } = search;
  const notFailed = interrupted
    ? "unknown: interrupted before anything failed"
    : `nothing failed, up to the search limit (${whole(atMost)})`;
  const resource = failed?.resource;
  return [
    {
      label: headingOf(search),
      rows: [
        [
          "passes",
          held
            ? `${amountOf(search, held)}, worst message ${ms(held.worstMs)}, median ${ms(held.medianMs)}`
            : "nothing passed",
        ],
        ["fails", failed ? `${amountOf(search, failed)}: ${failed.reasons.join(", ")}` : notFailed],
        ...(resource ? [["exhausted", `${resource.name}: ${resource.why}`]] : []),
      ],
    },
    {
      label: "Attempts",
      rows: [
        [
          "attempt",
          "worst",
          "median",
          "first",
          "cold",
          "acknowledged",
          "lost",
          "rejected",
          "server cores",
          "",
        ],
        ...attempts.map((attempt) => [
          whole(attempt.value),
          ...[attempt.worstMs, attempt.medianMs, attempt.firstMs, attempt.coldMs].map(ms),
          whole(attempt.acknowledged),
          whole(attempt.lost),
          whole(attempt.refused),
          attempt.serverCores === null ? "–" : attempt.serverCores.toFixed(2),
          attempt.held ? "passes" : "fails",
        ]),
      ],
    },
  ];
}

function amountOf({ what, members }: CapacitySearch, { value }: CapacityAttempt): string {
  if (what === "users") return `${whole(value)} members`;
  return `${whole(value)} messages/s, ${whole(value * (members ?? 0))} deliveries/s`;
}
