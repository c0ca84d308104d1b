import { expect, test } from "vitest";
import type { RoundKind } from "../kernels/broadcast/broadcast-plan.ts";
import type { BroadcastMeasurement } from "../kernels/broadcast/broadcast-summary.ts";
import { spread } from "../kernels/broadcast/percentiles.ts";
import { overPasses } from "../report/metric.ts";
import { broadcastMetrics } from "./broadcast-outcome.ts";
import { ratiosToFirst } from "./side-by-side.ts";

type Times = Partial<Record<RoundKind, (number | null)[]>>;
type Bursts = { allMs: number | null; lost: number }[];

/** A pass with these times to the last member; null: the message did not reach everyone. */
function pass(name: string, times: Times, bursts: Bursts = []): BroadcastMeasurement {
  const { warm = [], first = [], cold = [] } = times;
  const rounds = Object.entries(times).flatMap(([kind, all]) =>
    all.map((p100Ms) => ({ kind, p100Ms, lost: p100Ms === null ? 1 : 0 })),
  );
  const roundOf = ([p100Ms]: (number | null)[]) => (p100Ms === undefined ? null : { p100Ms });
  return {
    target: { name },
    users: 10,
    rounds,
    first: roundOf(first),
    cold: roundOf(cold),
    warm: { p100Ms: warm.includes(null) ? null : spread(warm.map(Number)), ackMs: null, latencyMs: null },
    bursts: bursts.map((burst) => ({ messages: 20, ...burst, deliveriesPerSecond: null })),
    server: {
      cpuMsPerMessage: null,
      beforeConnect: null,
      connected: null,
      afterRounds: null,
      afterBursts: null,
    },
    counts: { lost: 0, stored: null },
    generator: {},
    connection: null,
    registration: null,
  } as unknown as BroadcastMeasurement;
}

const metricsOf = (passes: readonly BroadcastMeasurement[]) =>
  passes.flatMap((one, i) => broadcastMetrics(one, { pass: i + 1 }));

const valuesOf = (passes: readonly BroadcastMeasurement[]) =>
  Object.fromEntries(overPasses(metricsOf(passes)).map(({ name, value }) => [name, value]));

const FANFARE = [
  pass("fanfare", { first: [50], cold: [20], warm: [10, 11, 90] }),
  pass("fanfare", { first: [70], cold: [40], warm: [12, 13, 14] }),
];
const BARE = [pass("socket.io", { first: [30], cold: [15], warm: [20, 24, 30] })];

test("the worst and the best message of all passes, and medians of the others", () => {
  const expected = { worstMs: 90, medianMs: 12, bestMs: 10, firstMs: 60, coldMs: 30 };
  expect(valuesOf(FANFARE)).toMatchObject(expected);
});

test("if a warm message did not reach everyone, there is no worst one and no median", () => {
  const incomplete = [...FANFARE, pass("fanfare", { first: [1], cold: [1], warm: [1, null] })];
  expect(valuesOf(incomplete)).toMatchObject({ worstMs: null, medianMs: null, bestMs: null, coldMs: 20 });
});

test("a pass that was interrupted before its first warm message leaves those of the others", () => {
  expect(valuesOf([...FANFARE, pass("fanfare", { first: [1] })])).toMatchObject({
    worstMs: 90,
    medianMs: 12,
  });
  expect(valuesOf([pass("fanfare", { first: [1] })])).not.toHaveProperty("worstMs");
});

test("each time has a ratio to the bare server", () => {
  const ratios = ratiosToFirst([...metricsOf(FANFARE), ...metricsOf(BARE)]);
  expect(Object.fromEntries(ratios.map(({ name, value }) => [name, value]))).toEqual({
    worstMsRatio: 3,
    medianMsRatio: 0.5,
    bestMsRatio: 0.5,
    coldMsRatio: 2,
    firstMsRatio: 2,
  });
});

test("a lost delivery is not left out of a burst's median, but one that an interruption left pending is", () => {
  const complete = [1, 5, 3].map((allMs) => ({ lost: 0, allMs }));
  const burstMs = (bursts: Bursts) => valuesOf([pass("fanfare", {}, bursts)])["burstMs"];
  expect(burstMs(complete)).toBe(3);
  expect(burstMs([...complete, { lost: 1, allMs: 0 }])).toBeNull();
  expect(burstMs([...complete, { lost: 0, allMs: null }])).toBe(3);
  expect(burstMs([{ lost: 0, allMs: null }])).toBeUndefined();
});
