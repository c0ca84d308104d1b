import { clusterSizeOf, MOST_USERS, threadCount, wholeNumber } from "../cli/options.ts";
import { addressNeeds, checkLimits } from "../cli/preflight.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { busyVerdict } from "../kernels/load/load-summary.ts";
import { mostMessages, STORM_OPTIONS, type StormPlan } from "../kernels/storm/storm-plan.ts";
import { measureStorm, worst, type StormMeasurement, type StormPhase } from "../kernels/storm/storm-run.ts";
import { applying, count, serverText, short, whole } from "../report/format.ts";
import { fields, metricNames, readMetrics, type Metric, type MetricTable } from "../report/metric.ts";
import type { Outcome, Series } from "../report/result.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";
import type { ServerUsage } from "../targets/target.ts";

const MAX_REGISTRATIONS = 100;

const RUN: MetricTable<StormMeasurement> = {
  worstSecondMs: ({ phases }) => worst(phases.map(({ p100Ms }) => p100Ms)),
  recoveredMs: ({ phases }) => {
    const faults = phases.filter(({ serversBackMs }) => serversBackMs !== null);
    return faults.length === 0 ? undefined : worst(faults.map(({ allBackMs }) => allBackMs));
  },
  ...fields(({ counts }: StormMeasurement) => counts, "lost", "unstored", "storedTwice", "away"),
  inexactCopies: ({ exactCopies, sdkClients }) =>
    exactCopies === null ? undefined : sdkClients - exactCopies,
};

const PHASE: MetricTable<StormPhase> = {
  worstSecondMs: ({ p100Ms }) => p100Ms,
  recoveredMs: ({ allBackMs }) => allBackMs ?? undefined,
  ...fields((phase: StormPhase) => phase, "serversBackMs"),
  ackMaxMs: ({ ackMaxMs }) => ackMaxMs,
  p50Ms: ({ latencyMs }) => latencyMs?.p50 ?? null,
  p99Ms: ({ latencyMs }) => latencyMs?.p99 ?? null,
  ...fields((phase: StormPhase) => phase, "disturbedSeconds", "moved", "receiverBusy"),
};

type Counts = StormMeasurement["counts"];
const COUNTS: MetricTable<Counts> = {
  ...fields((counts: Counts) => counts, "sent", "acknowledged", "failed", "moved", "stored", "expected"),
  ...fields((counts: Counts) => counts, "recovered"),
  duplicateEvents: ({ duplicates }) => duplicates,
  ...fields((counts: Counts) => counts, "resyncs"),
};

const USAGE: MetricTable<ServerUsage | null> = { rssBytes: (usage) => usage?.rssBytes };

export const storm = scenario({
  name: "storm",
  describe: "Gateways restart and crash with members online: what is lost, and how long users are affected",
  metrics: metricNames(RUN, PHASE, COUNTS, USAGE),
  options: STORM_OPTIONS,
  examples: [
    ["$0 storm -u 100 --gateways 0", "a single instance restarts"],
    ["$0 storm --users 10000", "two gateways: rolling restart, kill -9 of one, and of both"],
    ["$0 storm -u 2000 --faults rolling --threshold 'worstSecondMs[phase=rolling 1]<1000'", "for CI"],
  ],
  async plan(values) {
    const { sdk } = values;
    const users = wholeNumber("users", values.users, sdk + 1, MOST_USERS);
    const plan: StormPlan = {
      ...values,
      senders: wholeNumber("senders", values.senders, 1, sdk),
      cluster: values.gateways === 0 ? undefined : clusterSizeOf(values),
      threads: threadCount(values.threads, users),
    };
    const registrations = Math.min(values.connecting, MAX_REGISTRATIONS);
    const place = await addressNeeds(undefined);
    checkLimits({ users, messages: mostMessages(plan), kind: "light", ...place });
    return {
      options: { ...plan },
      async measure(context: RunContext) {
        const { progress, errors, signal } = context;
        const target = await openFanfare(context, { cluster: plan.cluster, registrations });
        const measured = await measureStorm({ target, plan, progress, errors, signal });
        return stormOutcome(measured, serverText(target));
      },
    };
  },
});

function stormOutcome(measured: StormMeasurement, server: string): Outcome {
  const { users, sdkClients, messagesPerSecond, phases } = measured;
  return {
    title: "Gateways restart and crash with members online",
    subtitle: [
      server,
      `${count(users, "member")}, ${whole(sdkClients)} of them with the SDK`,
      `${short(messagesPerSecond)} messages/s`,
      "times from the intended sending until the last member had the message, by event or by sync",
    ],
    metrics: stormMetrics(measured),
    series: secondsSeries(phases),
    caveats: applying(busyVerdict("receiving", worst(phases.map(({ receiverBusy }) => receiverBusy)))),
  };
}

export function stormMetrics(measured: StormMeasurement): Metric[] {
  const { users, gateways, phases, counts, server } = measured;
  const labels = { members: users, gateways: gateways ?? 0 };
  return [
    ...readMetrics(RUN, measured, labels),
    ...phases.flatMap((phase) => readMetrics(PHASE, phase, { ...labels, phase: phase.name })),
    ...readMetrics(COUNTS, counts, labels),
    ...readMetrics(USAGE, server.before, { ...labels, when: "before" }),
    ...readMetrics(USAGE, server.after, { ...labels, when: "after" }),
  ];
}

function secondsSeries(phases: StormMeasurement["phases"]): Series[] {
  const seconds = phases.flatMap(({ name, secondsP100Ms }) =>
    secondsP100Ms.map((p100Ms) => ({ name, p100Ms })),
  );
  return [
    {
      label: "Time to the last member, by second of sending",
      x: "seconds of sending",
      y: "ms",
      kind: "columns",
      points: seconds.map(({ name, p100Ms }, i) => ({
        x: i + 1,
        y: p100Ms,
        kind: name.startsWith("steady") ? "steady" : "during and after a fault",
      })),
    },
  ];
}
