import type { CapacityAttempt, CapacityPlan, CapacitySearch } from "../kernels/capacity/capacity.ts";
import { measureCapacity } from "../kernels/capacity/capacity-run.ts";
import {
  choice,
  EXISTING_USERS_OPTIONS,
  integer,
  PAYLOAD_OPTIONS,
  RECEIVER_OPTIONS,
  SERVER_OPTIONS,
  threadCount,
  time,
} from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { addressNeeds } from "../targets/address-needs.ts";
import { usageError } from "../cli/exit.ts";
import { ms, short, whole } from "../report/format.ts";
import { metrics, type Metric } from "../report/metric.ts";
import type { Series, TextTable } from "../report/result.ts";
import { existingUsers } from "../targets/existing-users.ts";
import { openServer } from "../targets/open-target.ts";

const SEARCHES = ["users", "rate"] as const;

export const capacity = scenario({
  name: "capacity",
  describe:
    "How many members, and messages per second, are served within a time, and which resource is exhausted first",
  metrics: ["membersWithinLimit", "messagesWithinLimit", "deliveriesPerSecond"],
  options: {
    ...SERVER_OPTIONS,
    ...EXISTING_USERS_OPTIONS,
    ...RECEIVER_OPTIONS,
    ...PAYLOAD_OPTIONS,
    limit: time("Search", "Time within which every message must reach all members", {
      default: "200ms",
      minMs: 1,
    }),
    search: choice("Search", "Search for members online in one group, messages per second, or both in turn", {
      default: "both",
      choices: [...SEARCHES, "both"],
    }),
    "most-users": integer("Search", "Upper limit of the search for members", {
      default: 20_000,
      min: 1,
      max: 1_000_000,
    }),
    "most-rate": integer("Search", "Upper limit of the search for messages per second", {
      default: 20_000,
      min: 1,
      max: 50_000,
    }),
    members: integer("Search", "Members online during the search for messages per second", {
      default: 100,
      min: 1,
      max: 100_000,
    }),
    senders: integer("Search", "Additional members who send", { default: 10, min: 1, max: 10_000 }),
    duration: time("Search", "How long each rate is sustained", { default: "3s", minMs: 1000 }),
    precision: integer(
      "Search",
      "Percentage between the passing and the failing value at which a search ends",
      { default: 10, min: 1, max: 100 },
    ),
  },
  examples: [
    ["$0 capacity --limit 200ms", "both searches, on a server started for them"],
    ["$0 capacity --limit 1s --search users --url http://127.0.0.1:3000", "members, on a running server"],
    ["$0 capacity --threshold 'membersWithinLimit>=5000'", "for CI: exit code 99 if lower"],
  ],
  async plan({ search, target: name, url, metricsUrl, ...values }) {
    const existing = await existingUsers({ ...values, url }, 1);
    const mostUsers = Math.min(values.mostUsers, existing?.memberTokens.length ?? Infinity);
    const plan: CapacityPlan = {
      p100LimitMs: values.limit,
      searches: search === "both" ? SEARCHES : [search],
      mostUsers,
      mostPerSecond: values.mostRate,
      members: values.members,
      senders: values.senders,
      rateMs: values.duration,
      precision: 1 + values.precision / 100,
      kind: "light",
      workers: threadCount(values.threads, mostUsers),
      napMs: values.nap,
      window: values.connecting,
      payloadBytes: values.payload,
    };
    if (plan.searches.includes("rate") && (name !== "fanfare" || existing)) {
      const option = existing ? "--tokens" : `--target ${name}`;
      throw usageError(`${option} only supports the search for members: add --search users.`);
    }
    const where = await addressNeeds(url);
    return {
      options: { ...plan, target: name },
      async measure(context: RunContext) {
        const place = { url, metricsUrl, registrations: plan.window, existing };
        const target = await openServer(context, name, place);
        const searches = await measureCapacity({ ...context, target, plan, where });
        return {
          title: `Capacity of ${target.name}`,
          subtitle: [
            target.isThrowaway ? "started for this run" : target.urls.join(","),
            `every message reaches everyone within ${short(plan.p100LimitMs)} ms and nothing is lost; the maximum passed twice`,
          ],
          metrics: searches.flatMap((search) => searchMetrics(search, plan.p100LimitMs)),
          series: searches.map((search) => attemptSeries(search, plan.p100LimitMs)),
          tables: searches.flatMap((search) => searchTables(search, context.signal.aborted)),
        };
      },
    };
  },
});

function searchMetrics({ what, members, held }: CapacitySearch, limitMs: number): Metric[] {
  const value = held?.value ?? null;
  const deliveriesPerSecond = value === null ? null : value * (members ?? 0);
  return metrics(
    what === "users" ? { membersWithinLimit: value } : { messagesWithinLimit: value, deliveriesPerSecond },
    { limitMs },
  );
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
