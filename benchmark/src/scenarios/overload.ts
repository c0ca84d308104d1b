import type { Argv } from "yargs";
import {
  clusterOptions,
  clusterSizeOf,
  duration,
  payloadBytes,
  payloadOption,
  receiverOptions,
  threadCount,
  wholeNumber,
} from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { openFanfare } from "../targets/fanfare/open-fanfare.ts";
import { usageError } from "../cli/exit.ts";
import type { Percentiles } from "../kernels/broadcast/percentiles.ts";
import { mostMessages, MOST_PER_SECOND, type OverloadPlan } from "../kernels/overload/overload-plan.ts";
import type { OverloadMeasurement } from "../kernels/overload/overload-result.ts";
import { measureOverload } from "../kernels/overload/overload-run.ts";
import type { MemorySample } from "../kernels/requests/memory-watch.ts";
import { checkLimits } from "../cli/preflight.ts";
import { clusterName, count, ms, whole } from "../report/format.ts";
import { metrics, metricsInOrder, type Metric } from "../report/metric.ts";
import type { Outcome, Series } from "../report/result.ts";

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
  options: (yargs: Argv) =>
    payloadOption(receiverOptions(clusterOptions(yargs)))
      .option("users", {
        group: "Receivers:",
        alias: "u",
        type: "number",
        default: 100,
        describe: "Members who are online and receive",
      })
      .option("senders", {
        group: "Messages:",
        type: "number",
        default: 50,
        describe: "Additional members who send",
      })
      .option("stalled", {
        group: "Receivers:",
        type: "number",
        default: 1,
        describe: "Additional members with a hung client: an open connection that is never read",
      })
      .option("duration", {
        group: "Messages:",
        type: "string",
        default: "60s",
        describe: "How long the overload lasts; no other phase lasts longer",
      })
      .option("factor", {
        group: "Messages:",
        type: "number",
        default: 2,
        describe: "Multiple of the capacity to send",
      })
      .option("capacity", {
        group: "Messages:",
        type: "number",
        describe: "The server's capacity in messages per second; default: measure it first",
      })
      .example(
        "$0 overload --users 100 --duration 60s",
        "measures the capacity, and sends twice as much for a minute",
      )
      .example("$0 overload --threshold 'unstored==0' --threshold 'normalAfterMs<5000'", "for CI"),
  plan(args) {
    const users = wholeNumber("users", args.users, 1, 100_000);
    if (!(args.factor > 0 && args.factor <= 100))
      throw usageError("--factor must be above 0 and at most 100.");
    const plan: OverloadPlan = {
      users,
      senders: wholeNumber("senders", args.senders, 1, 1000),
      stalled: wholeNumber("stalled", args.stalled, 0, 1000),
      cluster: clusterSizeOf(args),
      factor: args.factor,
      capacity:
        args.capacity === undefined ? undefined : wholeNumber("capacity", args.capacity, 1, MOST_PER_SECOND),
      overloadMs: duration("duration", args.duration, 1000, 600_000),
      workers: threadCount(args.threads, users),
      napMs: wholeNumber("nap", args.nap, 0, 100),
      window: wholeNumber("connecting", args.connecting, 1, 10_000),
      payloadBytes: payloadBytes(args.payload),
    };
    checkLimits({
      users: users + plan.senders + plan.stalled,
      // One bit per arrival instead of a 64-bit time.
      messages: Math.ceil(mostMessages(plan) / 64),
      kind: "light",
      isLocalServer: true,
      canSpreadAddresses: process.platform === "linux",
    });
    return {
      options: { ...plan },
      async measure(context: RunContext) {
        const { progress, errors, signal } = context;
        const target = await openFanfare(context, { cluster: plan.cluster, registrations: plan.window });
        return overloadOutcome(
          await measureOverload({ target, plan, progress, errors, signal }),
          signal.aborted,
        );
      },
    };
  },
});

function overloadOutcome(measured: OverloadMeasurement, interrupted: boolean): Outcome {
  const { plan, memory, verdicts, baseline, recovery, errors } = measured;
  const { users, senders, stalled, cluster } = plan;
  return {
    title: "More than the server's capacity",
    subtitle: [
      clusterName(cluster ?? { gateways: null, workers: null }),
      `${count(users, "receiver")}, ${count(senders, "sender")}`,
      ...(stalled > 0 ? [`${whole(stalled)} with a hung client`] : []),
    ],
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
    errors,
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
    ...metricsInOrder(overload.metrics, values, labels),
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
