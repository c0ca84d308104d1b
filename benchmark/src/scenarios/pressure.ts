import { defaultGatewayThreads } from "@fanfare/kernel/gateway-threads";
import { choice, integer, time } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { openFanfareApi } from "../targets/fanfare/open-fanfare.ts";
import { usageError } from "../cli/exit.ts";
import {
  bystanderOf,
  type OperationResult,
  type PressureMeasurement,
  type PressurePhase,
} from "../kernels/pressure/pressure-result.ts";
import { measurePressure, type PressurePlan } from "../kernels/pressure/pressure-run.ts";
import { count, duration as durationText, ms, whole } from "../report/format.ts";
import { metrics, type Metric } from "../report/metric.ts";
import type { Outcome, TextTable } from "../report/result.ts";
import { memorySeries } from "./overload.ts";

const CALLS = 50;
const USERS = 100;
const MIXED_FACTOR = 3;
const LOADS = {
  reads: "1, then 20 hostile guests read as fast as their limits allow",
  mixed: `messages, reads, connections and uploads at ${MIXED_FACTOR} times the capacity`,
} as const;

export const pressure = scenario({
  name: "pressure",
  describe: "Hostile reads, or more of everything than the server can take, with another user as a witness",
  metrics: [
    "bystanderP99Ms",
    "bystanderFailed",
    "capacityPerSecond",
    "goodputShare",
    "recoveredMs",
    "requestsPerSecond",
    "offeredPerSecond",
    "serverCores",
    "memoryPeakBytes",
    "memoryGrowthBytes",
  ],
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
        const { target, api } = await openFanfareApi(context, { registrations: CALLS }, CALLS);
        return pressureOutcome(await measurePressure(target, api, plan, context));
      },
    };
  },
});

function pressureOutcome(measured: PressureMeasurement): Outcome {
  const { kind, gatewayThreads, phases, memory, verdicts, errors } = measured;
  return {
    title: kind === "reads" ? "Hostile reads" : "Mixed overload",
    subtitle: ["a single instance", count(gatewayThreads, "gateway thread"), LOADS[kind]],
    metrics: pressureMetrics(measured),
    series: [memorySeries("Memory of the services", memory.samples)],
    tables: phases.map(phaseTable),
    caveats: verdicts,
    errors,
  };
}

function pressureMetrics(measured: PressureMeasurement): Metric[] {
  const { kind, phases, memory, memoryGrowthBytes, peakPerSecond, goodputShare, recoveredAfterMs } = measured;
  const bystander = bystanderOf(measured);
  const labels = { load: kind };
  return [
    ...metrics(
      {
        ...(kind === "mixed"
          ? { capacityPerSecond: peakPerSecond, goodputShare, recoveredMs: recoveredAfterMs }
          : {}),
        bystanderP99Ms: bystander.p99Ms,
        bystanderFailed: bystander.failed,
        memoryPeakBytes: memory.peakBytes,
        memoryGrowthBytes,
      },
      labels,
    ),
    ...phases.flatMap(({ name, okPerSecond, offeredPerSecond, serverCores }) =>
      metrics(
        {
          requestsPerSecond: okPerSecond,
          offeredPerSecond: offeredPerSecond ?? undefined,
          serverCores: serverCores ?? undefined,
        },
        { ...labels, phase: name },
      ),
    ),
  ];
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
