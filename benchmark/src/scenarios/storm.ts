import { clusterSizeOf, MOST_USERS, threadCount, wholeNumber } from "../cli/options.ts";
import { addressNeeds, checkLimits } from "../cli/preflight.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { worst } from "../kernels/broadcast/percentiles.ts";
import { ofPhase, testerCaveats } from "../kernels/broadcast/tester-watch.ts";
import { applying, count, serverText, short, whole } from "../report/format.ts";
import { fields, metricNames, readMetrics, type Metric, type MetricTable } from "../report/metric.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";
import { timePoints } from "./broadcast-outcome.ts";
import {
  measureStorm,
  mostMessages,
  STEADY,
  STORM_OPTIONS,
  type StormMeasurement,
  type StormPhase,
  type StormPlan,
} from "./storm-run.ts";

const MAX_REGISTRATIONS = 100;

const countsOf = ({ counts }: StormMeasurement) => counts;

const RUN: MetricTable<StormMeasurement> = {
  worstSecondMs: ({ phases }) => worst(phases.map(({ p100Ms }) => p100Ms)),
  recoveredMs: ({ phases }) => {
    const faults = phases.filter(({ serversBackMs }) => serversBackMs !== null);
    return faults.length === 0 ? undefined : worst(faults.map(({ allBackMs }) => allBackMs));
  },
  ...fields(countsOf, "lost", "unstored", "storedTwice", "away"),
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
  ...fields((phase: StormPhase) => phase, "moved"),
  ...fields(({ tester }: StormPhase) => tester, "receiverBusy"),
};

const COUNTS: MetricTable<StormMeasurement> = {
  ...fields(countsOf, "sent", "acknowledged", "failed", "moved", "stored", "expected", "recovered"),
  duplicateEvents: ({ counts }) => counts.duplicates,
  ...fields(countsOf, "resyncs"),
};

export const storm = scenario({
  name: "storm",
  describe: "Gateways restart and crash with members online: what is lost, and how long users are affected",
  metrics: metricNames(RUN, PHASE, COUNTS),
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
        const target = await openFanfare(context, { cluster: plan.cluster, registrations });
        const measured = await measureStorm({ ...context, target, plan });
        const { phases } = measured;
        const seconds = phases.flatMap(({ name, secondsP100Ms }) =>
          secondsP100Ms.map((y) => ({ y, kind: name === STEADY ? name : "during and after a fault" })),
        );
        return {
          title: "Gateways restart and crash with members online",
          subtitle: [
            serverText(target),
            `${count(users, "member")}, ${whole(sdk)} of them with the SDK`,
            `${short(plan.rate)} messages/s`,
            "times from the intended sending until the last member had the message, by event or by sync",
          ],
          metrics: stormMetrics(measured),
          series: [
            timePoints("Time to the last member, by second of sending", "seconds of sending", seconds),
          ],
          caveats: stormCaveats(measured),
        };
      },
    };
  },
});

export function stormMetrics(measured: StormMeasurement): Metric[] {
  const { users, gateways, phases } = measured;
  const labels = { members: users, gateways: gateways ?? 0 };
  return [
    ...readMetrics(RUN, measured, labels),
    ...phases.flatMap((phase) => readMetrics(PHASE, phase, { ...labels, phase: phase.name })),
    ...readMetrics(COUNTS, measured, labels),
  ];
}

export function stormCaveats({
  counts: { sent, failed },
  phases,
}: {
  counts: Pick<StormMeasurement["counts"], "sent" | "failed">;
  phases: readonly Pick<StormPhase, "name" | "tester" | "p100Ms">[];
}): string[] {
  return [
    ...applying(
      failed > 0 &&
        `${whole(failed)} of ${count(sent, "message")} were not accepted, and are in no time. During an outage, each sender of ` +
          "the SDK keeps a limited number: use more --senders, or a lower --rate.",
    ),
    ...phases.flatMap(({ name, tester, p100Ms }) => ofPhase(name, testerCaveats(tester, p100Ms))),
  ];
}
