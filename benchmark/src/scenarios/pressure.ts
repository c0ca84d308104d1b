import { defaultGatewayThreads } from "@fanfare/kernel/gateway-threads";
import { choice, integer, time } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { openFanfare } from "../targets/fanfare/open-fanfare.ts";
import { usageError } from "../cli/exit.ts";
import type { OperationResult } from "../kernels/pressure/mix-thread.ts";
import { bystanderOf, judgePressure } from "../kernels/pressure/pressure-result.ts";
import {
  measurePressure,
  type PressureMeasurement,
  type PressurePhase,
  type PressurePlan,
} from "../kernels/pressure/pressure-run.ts";
import { count, duration as durationText, ms, whole } from "../report/format.ts";
import { fields, metricNames, readMetrics, type MetricTable } from "../report/metric.ts";
import type { Outcome, TextTable } from "../report/result.ts";
import { memorySeries } from "./overload.ts";

const CALLS = 50;
const USERS = 100;
const MIXED_FACTOR = 3;
const LOADS = {
  reads: "1, then 20 hostile guests read as fast as their limits allow",
  mixed: `messages, reads, connections and uploads at ${MIXED_FACTOR} times the capacity`,
} as const;

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
  describe: "Hostile reads, or more of everything than the server can take, with another user as a witness",
  metrics: metricNames(RUN, PHASE),
  options: {
    load: choice(
      "Load",
      Object.entries(LOADS)
        .map(([name, text]) => `${name}: ${text}`)
        .join("; "),
      { default: "reads", choices: ["reads", "mixed"] },
    ),
    users: integer("Load", `Connections of the mixed load; default: ${USERS}`, {
      alias: "u",
      min: 1,
      max: 1000,
    }),
    duration: time("Load", "How long each phase lasts", { default: "60s", minMs: 1000, maxMs: 600_000 }),
  },
  examples: [
    ["$0 pressure", "whether hostile reads within the limits slow others down"],
    ["$0 pressure --load mixed", "what still succeeds at three times the capacity"],
  ],
  plan({ load, users, duration }) {
    if (load === "reads" && users !== undefined) throw usageError("--users is only for --load mixed.");
    const plan: PressurePlan = {
      kind: load,
      users: users ?? USERS,
      factor: MIXED_FACTOR,
      phaseMs: duration,
      gatewayThreads: defaultGatewayThreads(),
    };
    return {
      options: { ...plan },
      async measure(context: RunContext) {
        const target = await openFanfare(context, { registrations: CALLS });
        const measured = await measurePressure(target, plan, context);
        return pressureOutcome(measured, context.signal.aborted);
      },
    };
  },
});

function pressureOutcome(measured: PressureMeasurement, interrupted: boolean): Outcome {
  const { kind, gatewayThreads, phases, memory } = measured;
  return {
    title: kind === "reads" ? "Hostile reads" : "Mixed overload",
    subtitle: ["a single instance", count(gatewayThreads, "gateway thread"), LOADS[kind]],
    metrics: [
      ...readMetrics(RUN, measured, { load: kind }),
      ...phases.flatMap((phase) => readMetrics(PHASE, phase, { load: kind, phase: phase.name })),
    ],
    series: [memorySeries("Memory of the services", memory.samples)],
    tables: phases.map(phaseTable),
    caveats: interrupted ? [] : judgePressure(measured),
  };
}

function phaseTable({
  name,
  durationMs,
  load,
  bystander,
  readyzOverloaded,
  readyzAsked,
}: PressurePhase): TextTable {
  const row = (
    who: string,
    { name: action, intended, ok, okMs, refusedByCode, notSent, unanswered }: OperationResult,
  ) => [
    `${who}${action}`,
    whole(intended),
    whole(ok),
    whole(intended - ok),
    ms(okMs?.p50),
    ms(okMs?.p99),
    ms(okMs?.p100),
    Object.entries({ ...refusedByCode, "not sent": notSent, unanswered })
      .filter(([, times]) => times > 0)
      .map(([code, times]) => `${code} ${whole(times)}`)
      .join(" · "),
  ];
  return {
    label: `${name}, ${durationText(durationMs)}; /readyz reported overload ${readyzOverloaded} of ${readyzAsked} times`,
    rows: [
      ["", "offered", "ok", "failed", "p50", "p99", "p100", "reasons"],
      ...load.map((operation) => row("", operation)),
      ...bystander.map((operation) => row("another user: ", operation)),
    ],
  };
}
