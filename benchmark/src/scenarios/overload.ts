import { clusterSizeOf, threadCount } from "../cli/options.ts";
import { addressNeeds, checkLimits } from "../cli/preflight.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { testerCaveats } from "../kernels/broadcast/tester-watch.ts";
import type { MemorySample } from "../kernels/requests/memory-watch.ts";
import { applying, count, ms, serverText, whole } from "../report/format.ts";
import { fields, metricNames, readMetrics, type MetricTable } from "../report/metric.ts";
import type { Series, TextTable } from "../report/result.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";
import { metricsByProcess } from "./broadcast-outcome.ts";
import { judgeOverload } from "./overload-judge.ts";
import {
  measureOverload,
  mostMessages,
  OVERLOAD_OPTIONS,
  type OverloadMeasurement,
  type OverloadPlan,
} from "./overload-run.ts";

const RUN: MetricTable<OverloadMeasurement> = {
  capacityPerSecond: ({ capacity }) => capacity,
  acknowledgedPerSecond: ({ acknowledgedPerSecond }) => acknowledgedPerSecond,
  normalAfterMs: ({ recovery }) => recovery.normalAfterMs,
  lost: ({ lost }) => lost,
  ...fields(({ stored }: OverloadMeasurement) => stored, "unstored", "storedTwice"),
  dropped: ({ dropped }) => dropped,
  withoutRetryAfter: ({ withoutRetryAfter }) => withoutRetryAfter,
  offeredPerSecond: ({ offered }) => offered,
  ackP50Ms: ({ acks }) => acks?.p50 ?? null,
  ackP99Ms: ({ acks }) => acks?.p99 ?? null,
  ackP100Ms: ({ acks }) => acks?.p100 ?? null,
  deliveryP100Ms: ({ deliveredMaxMs }) => deliveredMaxMs,
  memoryPeakBytes: ({ memory }) => memory.peakBytes,
  memoryGrowthBytes: ({ memory }) => memory.growthBytes,
  serverCores: ({ tester }) => tester?.server?.cores ?? undefined,
  acknowledged: ({ stored }) => stored.acknowledged,
  stored: ({ stored }) => stored.stored ?? undefined,
  disturbed: ({ disturbed }) => disturbed,
  ...fields(({ tester }: OverloadMeasurement) => tester, "senderBusy", "receiverBusy"),
  senderDelayMs: ({ senderDelayMs }) => senderDelayMs,
  ...fields(({ tester }: OverloadMeasurement) => tester, "otherProgramsCores"),
};

/** Of the requests during the overload. */
const DURING = fields(
  ({ counts }: OverloadMeasurement) => counts,
  ...(["sent", "acknowledged", "refused", "missed", "unanswered"] as const),
);

export const overload = scenario({
  name: "overload",
  describe: "Sends twice the server's capacity: what happens to the server and the messages",
  metrics: [...metricNames(RUN, DURING), "cpuMsPerMessage"],
  options: OVERLOAD_OPTIONS,
  examples: [
    ["$0 overload --users 100 --duration 60s", "measures the capacity, and sends twice as much for a minute"],
    ["$0 overload --threshold 'unstored==0' --threshold 'normalAfterMs<5000'", "for CI"],
  ],
  async plan(values) {
    const { users, senders, stalled } = values;
    const threads = threadCount(values.threads, users);
    const plan: OverloadPlan = { ...values, cluster: clusterSizeOf(values), threads };
    checkLimits({
      users: users + senders + stalled,
      // One bit per arrival instead of a 64-bit time.
      messages: Math.ceil(mostMessages(plan) / 64),
      kind: "light",
      ...(await addressNeeds(undefined)),
    });
    return {
      options: { ...plan },
      async measure(context: RunContext) {
        const target = await openFanfare(context, { cluster: plan.cluster, registrations: plan.connecting });
        const measured = await measureOverload(target, plan, context);
        const labels = { members: users, gateways: plan.cluster?.gateways ?? 0 };
        const all = readMetrics(RUN, measured, labels);
        const { unanswered } = measured.counts;
        const { tester, watchedMs } = measured;
        const values = Object.fromEntries(all.map(({ name, value }) => [name, value]));
        return {
          title: "More than the server's capacity",
          subtitle: applying(
            serverText(target),
            `${count(users, "receiver")}, ${count(senders, "sender")}`,
            stalled > 0 && `${whole(stalled)} with a hung client`,
          ),
          metrics: [
            ...all,
            ...readMetrics(DURING, measured, { ...labels, phase: "overload" }),
            ...metricsByProcess("cpuMsPerMessage", measured.cpuMsPerMessage, labels),
          ],
          series: [memorySeries("Memory of the services", measured.memory.samples)],
          tables: overloadTables(measured),
          caveats: measured.isComplete
            ? [
                ...judgeOverload(values, { unanswered, watchedMs }),
                ...testerCaveats(
                  tester!,
                  values["ackP100Ms"],
                  "the server had fewer than it could have had.",
                ),
              ]
            : [],
        };
      },
    };
  },
});

/** Memory over time, before the load and from its start on. */
export function memorySeries(label: string, samples: readonly MemorySample[]): Series {
  const startMs = samples[0]?.atMs ?? 0;
  return {
    label,
    x: "seconds",
    y: "MiB",
    kind: "line",
    points: samples.map(({ atMs, servicesBytes }) => ({
      x: (atMs - startMs) / 1000,
      y: servicesBytes / 1024 / 1024,
      kind: atMs < 0 ? "before the load" : "from the load on",
    })),
  };
}

function overloadTables({
  steps,
  baselineAckMs,
  baselineDeliveredMs,
  recovery,
  refusalsByCode,
}: OverloadMeasurement): TextTable[] {
  const capacity = steps.map(({ inFlight, perSecond, ackMs }) => [
    whole(inFlight),
    `${whole(perSecond)}/s`,
    ...[ackMs?.p50, ackMs?.p99, ackMs?.p100].map(ms),
  ]);
  const head = ["in flight", "acknowledged", "p50", "p99", "p100"];
  return [
    { label: "Capacity, in a closed loop", rows: capacity.length === 0 ? [] : [head, ...capacity] },
    {
      label: "Normal service",
      rows: [
        [
          "before the overload",
          `acknowledged within ${ms(baselineAckMs)}, delivered within ${ms(baselineDeliveredMs)}`,
        ],
        ["counts as normal", `up to ${ms(recovery.ackLimitMs)} and ${ms(recovery.deliveredLimitMs)}`],
      ],
    },
    {
      label: "Rejections by code",
      rows: Object.entries(refusalsByCode).map(([code, times]) => [code, whole(times)]),
    },
  ].filter(({ rows }) => rows.length > 0);
}
