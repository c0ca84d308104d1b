import { clusterSizeOf, threadCount } from "../cli/options.ts";
import { addressNeeds, checkLimits } from "../cli/preflight.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import type { Percentiles } from "../kernels/broadcast/percentiles.ts";
import { mostMessages, OVERLOAD_OPTIONS, type OverloadPlan } from "../kernels/overload/overload-plan.ts";
import { measureOverload, type OverloadMeasurement } from "../kernels/overload/overload-run.ts";
import type { MemorySample } from "../kernels/requests/memory-watch.ts";
import { applying, count, ms, serverText, whole } from "../report/format.ts";
import { metrics, type Metric } from "../report/metric.ts";
import type { Outcome, Series } from "../report/result.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";

export const overload = scenario({
  name: "overload",
  describe: "Sends twice the server's capacity: what happens to the server and the messages",
  metrics: [
    "capacityPerSecond",
    "acknowledgedPerSecond",
    "normalAfterMs",
    "lost",
    "unstored",
    "storedTwice",
    "withoutRetryAfter",
    "offeredPerSecond",
    "ackP50Ms",
    "ackP99Ms",
    "ackP100Ms",
    "deliveryP100Ms",
    "memoryPeakBytes",
    "memoryGrowthBytes",
    "serverCores",
    "cpuMsPerMessage",
    "sent",
    "acknowledged",
    "refused",
    "missed",
    "unanswered",
    "stored",
    "disturbed",
    "senderBusy",
    "receiverBusy",
    "senderDelayMs",
    "otherProgramsCores",
  ],
  options: OVERLOAD_OPTIONS,
  examples: [
    ["$0 overload --users 100 --duration 60s", "measures the capacity, and sends twice as much for a minute"],
    ["$0 overload --threshold 'unstored==0' --threshold 'normalAfterMs<5000'", "for CI"],
  ],
  async plan(values) {
    const { users, senders, stalled, threads } = values;
    const plan: OverloadPlan = {
      ...values,
      cluster: clusterSizeOf(values),
      threads: threadCount(threads, users),
    };
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
        const { progress, errors, signal } = context;
        const target = await openFanfare(context, { cluster: plan.cluster, registrations: plan.connecting });
        const measured = await measureOverload({ target, plan, progress, errors, signal });
        return overloadOutcome(measured, serverText(target), signal.aborted);
      },
    };
  },
});

function overloadOutcome(measured: OverloadMeasurement, server: string, interrupted: boolean): Outcome {
  const { plan, memory, verdicts, baseline, recovery } = measured;
  const { users, senders, stalled } = plan;
  return {
    title: "More than the server's capacity",
    subtitle: applying(
      server,
      `${count(users, "receiver")}, ${count(senders, "sender")}`,
      stalled > 0 && `${whole(stalled)} with a hung client`,
    ),
    metrics: overloadMetrics(measured),
    series: [memorySeries("Memory of the services", memory)],
    tables: [
      ...capacityTable(measured),
      {
        label: "Normal service",
        rows: [
          [
            "before the overload",
            `acknowledged within ${ms(baseline.ackMaxMs)}, delivered within ${ms(baseline.deliveredMaxMs)}`,
          ],
          ["counts as normal", `up to ${ms(recovery.ackLimitMs)} and ${ms(recovery.deliveredLimitMs)}`],
        ],
      },
      ...refusalTable(measured),
    ],
    caveats: interrupted ? [] : verdicts,
  };
}

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

function overloadMetrics({ plan, values, overload: during, cpuMsPerMessage }: OverloadMeasurement): Metric[] {
  const labels = { members: plan.users, gateways: plan.cluster?.gateways ?? 0 };
  return [
    ...metrics(values, labels),
    ...metrics(during, { ...labels, phase: "overload" }),
    ...Object.entries(cpuMsPerMessage).flatMap(([process, ms]) =>
      metrics({ cpuMsPerMessage: ms }, { ...labels, process }),
    ),
  ];
}

function capacityTable({ steps }: OverloadMeasurement) {
  if (steps.length === 0) return [];
  const times = (values: Percentiles | null) => [ms(values?.p50), ms(values?.p99), ms(values?.p100)];
  return [
    {
      label: "Capacity, in a closed loop",
      rows: [
        ["in flight", "acknowledged", "p50", "p99", "p100"],
        ...steps.map(({ inFlight, perSecond, ackMs }) => [
          whole(inFlight),
          `${whole(perSecond)}/s`,
          ...times(ackMs),
        ]),
      ],
    },
  ];
}

function refusalTable({ refusalsByCode }: OverloadMeasurement) {
  const rows = Object.entries(refusalsByCode).map(([code, times]) => [code, whole(times)]);
  return rows.length === 0 ? [] : [{ label: "Rejections by code", rows }];
}
