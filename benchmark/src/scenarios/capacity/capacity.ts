import { usageError } from "../../cli/exit.ts";
import {
  choice,
  EXISTING_USERS_OPTIONS,
  integer,
  PAYLOAD_OPTIONS,
  RECEIVER_OPTIONS,
  SERVER_OPTIONS,
  threadCount,
  time,
  type OptionValues,
} from "../../cli/options.ts";
import { addressNeeds } from "../../cli/preflight.ts";
import { scenario, type RunContext } from "../../cli/scenario.ts";
import { untilAborted } from "../../kernels/broadcast/clock.ts";
import { duration, ms, serverText, short, whole } from "../../report/format.ts";
import { metrics, type Metric } from "../../report/metric.ts";
import type { TextTable } from "../../report/result.ts";
import { isFanfare } from "../../targets/fanfare/fanfare-target.ts";
import { openServer } from "../../targets/open-target.ts";
import { existingUsers } from "../../targets/tokens.ts";
import type { CapacityAttempt } from "./attempt.ts";
import { ATTEMPT_MESSAGES, RATE_WARM_UP_MS, rateAttempts, usersAttempts } from "./attempts.ts";
import { Search } from "./search.ts";

const CAPACITY_OPTIONS = {
  ...SERVER_OPTIONS,
  ...EXISTING_USERS_OPTIONS,
  ...RECEIVER_OPTIONS,
  ...PAYLOAD_OPTIONS,
  limitMs: time("Search", "Time within which every message must reach all members", {
    default: "200ms",
    minMs: 1,
  }),
  search: choice("Search", "Search for members online in one group, messages per second, or both in turn", {
    default: "both",
    choices: ["users", "rate", "both"],
  }),
  mostUsers: integer("Search", "Upper limit of the search for members", [1, 1_000_000], { default: 20_000 }),
  mostRate: integer("Search", "Upper limit of the search for messages per second", [1, 50_000], {
    default: 20_000,
  }),
  members: integer("Search", "Members online during the search for messages per second", [1, 100_000], {
    default: 100,
  }),
  senders: integer("Search", "Additional members who send", [1, 10_000], { default: 10 }),
  durationMs: time("Search", "How long each rate is sustained", { default: "3s", minMs: 1000 }),
  precision: integer(
    "Search",
    "Percentage between the passing and the failing value at which a search ends",
    [1, 100],
    { default: 10 },
  ),
};

export interface CapacityPlan extends Omit<OptionValues<typeof CAPACITY_OPTIONS>, "threads"> {
  threads: number;
}

const FIRST_USERS = 100;
const FIRST_PER_SECOND = 50;

/** A search for members online, or for messages per second to a number of members. */
interface CapacitySearch {
  search: Search<CapacityAttempt>;
  /** undefined: the members were searched. */
  members: number | undefined;
  atMost: number;
}

type Attempts = (value: number) => Promise<CapacityAttempt>;

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
    const { target: name, url, metricsUrl, limitMs, search: wanted } = values;
    const existing = await existingUsers(values, 1);
    const mostUsers = Math.min(values.mostUsers, existing?.memberTokens.length ?? Infinity);
    const plan = { ...values, mostUsers, threads: threadCount(values.threads, mostUsers) };
    if (wanted !== "users" && (name !== "fanfare" || existing)) {
      const option = existing ? "--tokens" : `--target ${name}`;
      throw usageError(`${option} only supports the search for members: add --search users.`);
    }
    const where = await addressNeeds(url);
    const texts = {
      users: `members: ${ATTEMPT_MESSAGES} messages one at a time`,
      rate: `messages per second: ${duration(plan.durationMs)}, after ${duration(RATE_WARM_UP_MS)} that don't count`,
    };
    return {
      options: plan,
      async measure(context: RunContext) {
        const { signal } = context;
        const place = { url, metricsUrl, registrations: plan.connecting, existing };
        const target = await openServer(context, name, place);
        const all = { ...context, target, plan, where };
        const searches: CapacitySearch[] = [];
        const run = async (from: number, atMost: number, attempt: Attempts, members?: number) => {
          if (signal.aborted) return;
          const precision = 1 + plan.precision / 100;
          const search = new Search({ from: Math.min(from, atMost), atMost, precision, attempt });
          await untilAborted(signal, search.run());
          searches.push({ search, members, atMost });
        };
        if (wanted !== "rate") await run(FIRST_USERS, mostUsers, usersAttempts(all));
        if (wanted !== "users" && isFanfare(target))
          await run(FIRST_PER_SECOND, plan.mostRate, rateAttempts({ ...all, target }), plan.members);
        return {
          title: `Capacity of ${target.name}`,
          subtitle: [
            serverText(target),
            `every message reaches everyone within ${short(limitMs)} ms and nothing is lost; the maximum passed twice`,
            ...(wanted === "both" ? Object.values(texts) : [texts[wanted]]),
          ],
          metrics: searches.flatMap((search) => searchMetrics(search, limitMs)),
          series: searches.map(({ members, search }) => ({
            label: `${headingOf(members)}: time to the last member in each attempt; the limit is ${short(limitMs)} ms`,
            x: members === undefined ? "members online" : "messages per second",
            y: "ms",
            kind: "points" as const,
            points: search.attempts
              .toSorted((a, b) => a.value - b.value)
              .map(({ value, worstMs, held }) => ({ x: value, y: worstMs, kind: held ? "passes" : "fails" })),
          })),
          tables: searches.flatMap((search) => searchTables(search, signal.aborted)),
        };
      },
    };
  },
});

function searchMetrics({ members, search: { held } }: CapacitySearch, limitMs: number): Metric[] {
  const value = held?.value ?? null;
  if (members === undefined) return metrics({ membersWithinLimit: value }, { limitMs });
  const deliveriesPerSecond = value && value * members;
  return metrics({ messagesWithinLimit: value, deliveriesPerSecond }, { limitMs });
}

function headingOf(members: number | undefined): string {
  if (members === undefined) return "Members online in one group";
  return `Messages per second, to ${whole(members)} members online in one group`;
}

function searchTables({ search, members, atMost }: CapacitySearch, interrupted: boolean): TextTable[] {
  const { held, failed, attempts } = search;
  const amount = ({ value }: CapacityAttempt) =>
    members === undefined
      ? `${whole(value)} members`
      : `${whole(value)} messages/s, ${whole(value * members)} deliveries/s`;
  const notFailed = interrupted
    ? "unknown: interrupted before anything failed"
    : `nothing failed, up to the search limit (${whole(atMost)})`;
  const resource = failed?.resource;
  const best = held && `${amount(held)}, worst message ${ms(held.worstMs)}, median ${ms(held.medianMs)}`;
  return [
    {
      label: headingOf(members),
      rows: [
        ["passes", best ?? "nothing passed"],
        ["fails", failed ? `${amount(failed)}: ${failed.reasons.join(", ")}` : notFailed],
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
          ...[attempt.acknowledged, attempt.lost, attempt.refused].map(whole),
          attempt.serverCores?.toFixed(2) ?? "–",
          attempt.held ? "passes" : "fails",
        ]),
      ],
    },
  ];
}
