import { expect, test } from "vitest";
import type { BroadcastMeasurement, RoundKind } from "../report/result.ts";
import { clusterMetrics, clusterMetricNames, clusterRows } from "./cluster-figures.ts";
import { figuresOf, limitFigures, limitMetrics, limitRatios, medianUnlessLost } from "./limit-figures.ts";
import { spread } from "./percentiles.ts";
import { sweepMetricNames, sweepMetrics, sweepRows } from "./sweep-figures.ts";

/** A pass with these times to the last member; null: the message did not reach everyone. */
function pass(name: string, times: Partial<Record<RoundKind, (number | null)[]>>): BroadcastMeasurement {
  const { warm = [] } = times;
  const rounds = Object.entries(times).flatMap(([kind, all]) =>
    all.map((p100Ms) => ({ kind, p100Ms, lost: p100Ms === null ? 1 : 0 })),
  );
  return {
    target: { name },
    users: 10,
    rounds,
    warm: { p100Ms: warm.includes(null) ? null : spread(warm.map(Number)) },
    bursts: [],
    server: {
      rssPerConnectionBytes: null,
      cpuMsPerMessage: null,
      cpuMsPerMessageByKind: null,
      natsPerMessage: null,
    },
    counts: { lost: 0 },
  } as unknown as BroadcastMeasurement;
}

const FANFARE = [
  pass("fanfare", { first: [50], cold: [20], warm: [10, 11, 90] }),
  pass("fanfare", { first: [70], cold: [40], warm: [12, 13, 14] }),
];
const BARE = [pass("socket.io", { first: [30], cold: [15], warm: [20, 25, 30] })];

test("the worst, the median and the best of the warm messages of all passes, and medians of the first and the cold ones", () => {
  const figures = { worstMs: 90, medianMs: 12.5, bestMs: 10, firstMs: 60, coldMs: 30 };
  expect(figuresOf(FANFARE)).toMatchObject(figures);
  expect(sweepRows(FANFARE)).toMatchObject([{ users: 10, ...figures }]);
});

test("if a warm message did not reach everyone, there is no worst one and no median", () => {
  const incomplete = [...FANFARE, pass("fanfare", { first: [1], cold: [1], warm: [1, null] })];
  expect(figuresOf(incomplete)).toMatchObject({ worstMs: null, medianMs: null, bestMs: null, coldMs: 20 });
  // Interrupted before its first warm message.
  const interrupted = [...FANFARE, pass("fanfare", { first: [1] })];
  expect(figuresOf(interrupted)).toMatchObject({ worstMs: 90, medianMs: 12.5 });
});

test("thresholds can use the worst, the median, the first and the cold message", () => {
  expect(limitMetrics(limitRatios(limitFigures([...FANFARE, ...BARE])))).toMatchObject({
    worstVsSocketIo: 3,
    medianVsSocketIo: 0.5,
    bestVsSocketIo: 0.5,
    firstVsSocketIo: 2,
    coldVsSocketIo: 2,
  });
  const sweep = sweepMetrics(sweepRows(FANFARE));
  expect(sweep).toMatchObject({ worstAt10: 90, medianAt10: 12.5, firstAt10: 60, coldAt10: 30 });
  expect(Object.keys(sweep)).toEqual(sweepMetricNames([10]));
  const labelled = [...FANFARE, ...BARE].map((one) => ({ ...one, label: one.target.name }));
  const cluster = clusterMetrics(clusterRows(labelled, (label) => (label === "fanfare" ? 2 : null)));
  expect(cluster).toMatchObject({
    worstAt2: 90,
    medianAt2: 12.5,
    firstAt2: 60,
    coldAt2: 30,
    worstAt2VsSocketIo: 3,
    medianAt2VsSocketIo: 0.5,
  });
  expect(Object.keys(cluster)).toEqual(clusterMetricNames([2]));
});

test("a lost message is not left out of the median", () => {
  const complete = [1, 5, 3].map((ms) => ({ lost: 0, ms }));
  expect(medianUnlessLost(complete, ({ ms }) => ms)).toBe(3);
  expect(medianUnlessLost([...complete, { lost: 1, ms: 0 }], ({ ms }) => ms)).toBeNull();
  // Of an interrupted run: still unknown.
  const pending = [...complete, { lost: 0, ms: null }];
  expect(medianUnlessLost(pending, ({ ms }) => ms)).toBe(3);
});
