import { usageError } from "../cli/exit.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import {
  LOADS,
  measurePressure,
  PRESSURE_OPTIONS,
  type PressureMeasurement,
  type PressurePhase,
} from "./pressure-run.ts";
import { applying, duration as durationText, ms, percent, serverText, whole } from "../report/format.ts";
import { sum, worst } from "../kernels/broadcast/percentiles.ts";
import { ofPhase, testerCaveats } from "../kernels/broadcast/tester-watch.ts";
import { fields, metricNames, readMetrics, type MetricTable } from "../report/metric.ts";
import type { TextTable } from "../report/result.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";
import { memorySeries } from "./overload.ts";

/** Goal for the bystander's p99 latency. */
const BYSTANDER_MS = 250;
const GROWTH_MIB = 200;
const GOODPUT = 0.7;
const RECOVERED_MS = 5000;

/** What another user noticed. A call that failed is slower than all others. */
export function bystanderOf({ phases }: { phases: readonly Pick<PressurePhase, "seen">[] }): {
  p99Ms: number | null;
  failed: number;
} {
  const seen = phases.flatMap((phase) => phase.seen);
  const slowest = seen.map(({ okMs }) => okMs?.p99 ?? null);
  return { p99Ms: worst(slowest), failed: sum(seen.map(({ intended, ok }) => intended - ok)) };
}

/** The goals that were missed. */
function judgePressure(result: PressureMeasurement): string[] {
  const { goodputShare, recoveredAfterMs, memoryGrowthBytes } = result;
  const bystander = bystanderOf(result);
  const memoryGrowthMiB = (memoryGrowthBytes ?? 0) / 1024 / 1024;
  if (result.kind === "reads")
    return applying(
      (bystander.p99Ms ?? 0) > BYSTANDER_MS &&
        `The bystander's p99 was ${Math.round(bystander.p99Ms!)} ms: the goal is ${BYSTANDER_MS} ms.`,
      bystander.failed > 0 && `${bystander.failed} calls of the bystander failed.`,
      memoryGrowthMiB > GROWTH_MIB &&
        `The services grew by ${Math.round(memoryGrowthMiB)} MiB: the goal is ${GROWTH_MIB} MiB.`,
    );
  return applying(
    goodputShare !== null &&
      goodputShare < GOODPUT &&
      `Only ${percent(goodputShare)} of the capacity succeeded under overload: the goal is ${percent(GOODPUT)}.`,
    recoveredAfterMs === null && "The server had not recovered when the run ended.",
    (recoveredAfterMs ?? 0) > RECOVERED_MS &&
      `The server recovered only after ${(recoveredAfterMs! / 1000).toFixed(1)} s: the goal is ${RECOVERED_MS / 1000} s.`,
  );
}

const CALLS = 50;

const ifMixed = (of: (measured: PressureMeasurement) => number | null) => (measured: PressureMeasurement) =>
  measured.kind === "mixed" ? of(measured) : undefined;

const RUN: MetricTable<PressureMeasurement> = {
  capacityPerSecond: ifMixed(({ peakPerSecond }) => peakPerSecond),
  goodputShare: ifMixed(({ goodputShare }) => goodputShare),
  recoveredMs: ifMixed(({ recoveredAfterMs }) => recoveredAfterMs),
  bystanderP99Ms: (measured) => bystanderOf(measured).p99Ms,
  bystanderFailed: (measured) => bystanderOf(measured).failed,
  memoryPeakBytes: ({ memory }) => memory.peakBytes,
  memoryGrowthBytes: ({ memoryGrowthBytes }) => memoryGrowthBytes,
};

const PHASE: MetricTable<PressurePhase> = {
  requestsPerSecond: ({ okPerSecond }) => okPerSecond,
  ...fields((phase: PressurePhase) => phase, "offeredPerSecond", "serverCores"),
};

export const pressure = scenario({
  name: "pressure",
  describe: "How slow calls become for one user while others send the most expensive calls, or far too many",
  metrics: metricNames(RUN, PHASE),
  options: PRESSURE_OPTIONS,
  examples: [
    ["$0 pressure", "whether guests who read as much as their rate limits allow slow others down"],
    ["$0 pressure --load mixed", "what still succeeds at three times the capacity"],
  ],
  plan(values) {
    if (values.load === "reads" && values.users !== undefined)
      throw usageError("--users is only for --load mixed.");
    return {
      options: values,
      async measure(context: RunContext) {
        const target = await openFanfare(context, { registrations: CALLS });
        const measured = await measurePressure(target, values, context);
        const { kind, phases, memory } = measured;
        return {
          title: kind === "reads" ? "Hostile reads" : "Mixed overload",
          subtitle: [serverText(target), LOADS[kind]],
          metrics: [
            ...readMetrics(RUN, measured, { load: kind }),
            ...phases.flatMap((phase) => readMetrics(PHASE, phase, { load: kind, phase: phase.name })),
          ],
          series: [memorySeries("Memory of the services", memory.samples)],
          tables: phases.map(phaseTable),
          caveats: applying(
            ...(context.signal.aborted ? [] : judgePressure(measured)),
            ...phases.flatMap(({ name, tester, seen }) =>
              ofPhase(name, testerCaveats(tester, worst(seen.map(({ okMs }) => okMs?.p100 ?? null)))),
            ),
          ),
        };
      },
    };
  },
});

function phaseTable(phase: PressurePhase): TextTable {
  const { name, durationMs, load, seen } = phase;
  const row = (who: string, { name: action, intended, ok, okMs, failures }: (typeof load)[number]) => [
    `${who}${action}`,
    whole(intended),
    whole(ok),
    whole(intended - ok),
    ...[okMs?.p50, okMs?.p99, okMs?.p100].map(ms),
    Object.entries(failures)
      .map(([code, times]) => `${code} ${whole(times)}`)
      .join(" · "),
  ];
  return {
    label: `${name}, ${durationText(durationMs)}`,
    rows: [
      ["", "offered", "ok", "failed", "p50", "p99", "p100", "reasons"],
      ...load.map((operation) => row("", operation)),
      ...seen.map((operation) => row("another user: ", operation)),
    ],
  };
}
