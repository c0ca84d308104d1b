import { usageError } from "../cli/exit.ts";
import { threadCount } from "../cli/options.ts";
import { addressNeeds } from "../cli/preflight.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { measureCapacity } from "../kernels/capacity/capacity-run.ts";
import { RATE_WARM_UP_MS } from "../kernels/capacity/rate-attempt.ts";
import { ATTEMPT_MESSAGES } from "../kernels/capacity/users-attempt.ts";
import {
  CAPACITY_OPTIONS,
  searchesOf,
  type CapacityAttempt,
  type CapacityPlan,
  type CapacitySearch,
} from "../kernels/capacity/capacity.ts";
import { duration, ms, serverText, short, whole } from "../report/format.ts";
import { metrics, type Metric } from "../report/metric.ts";
import type { Series, TextTable } from "../report/result.ts";
import { existingUsers } from "../targets/existing-users.ts";
import { openServer } from "../targets/open-target.ts";

export const capacity = scenario({
  name: "capacity",
  describe:
    "How many members, and messages per second, are served within a time, and which resource is exhausted first",
  metrics: ["membersWithinLimit", "messagesWithinLimit", "deliveriesPerSecond"],
  options: CAPACITY_OPTIONS,
  examples: [
    ["$0 capacity --limit 200ms", "both searches, on a server started for them"],
    ["$0 capacity --limit 1s --search users --url http://127.0.0.1:3000", "members, on a running server"],
    ["$0 capacity --threshold 'membersWithinLimit>=5000'", "for CI: exit code 99 if lower"],
  ],
  async plan(values) {
    const { target: name, url, metricsUrl } = values;
    const existing = await existingUsers(values, 1);
    const mostUsers = Math.min(values.mostUsers, existing?.memberTokens.length ?? Infinity);
    const plan: CapacityPlan = { ...values, mostUsers, threads: threadCount(values.threads, mostUsers) };
    if (searchesOf(plan).includes("rate") && (name !== "fanfare" || existing)) {
      const option = existing ? "--tokens" : `--target ${name}`;
      throw usageError(`${option} only supports the search for members: add --search users.`);
    }
    const [where, wanted] = [await addressNeeds(url), searchesOf(plan)];
    return {
      options: { ...plan },
      async measure(context: RunContext) {
        const place = { url, metricsUrl, registrations: plan.connecting, existing };
        const target = await openServer(context, name, place);
        const searches = await measureCapacity({ ...context, target, plan, where });
        return {
          title: `Capacity of ${target.name}`,
          subtitle: [
            serverText(target),
            `every message reaches everyone within ${short(plan.limitMs)} ms and nothing is lost; the maximum passed twice`,
            ...wanted.map((search) => ATTEMPT[search](plan)),
          ],
          metrics: searches.flatMap((search) => searchMetrics(search, plan.limitMs)),
          series: searches.map((search) => attemptSeries(search, plan.limitMs)),
          tables: searches.flatMap((search) => searchTables(search, context.signal.aborted)),
        };
      },
    };
  },
});

/** What an attempt sends. */
const ATTEMPT = {
  users: () => `members: ${ATTEMPT_MESSAGES} messages one at a time`,
  rate: ({ durationMs }: CapacityPlan) =>
    `messages per second: ${duration(durationMs)}, after ${duration(RATE_WARM_UP_MS)} that don't count`,
};

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
        "attempt,worst,median,first,cold,acknowledged,lost,rejected,server cores,".split(","),
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
