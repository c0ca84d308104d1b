import { expect, test } from "vitest";
import { metrics, type MetricName } from "../report/metric.ts";
import { checkThresholds, parseThresholds } from "../report/thresholds.ts";
import { comparisonSummary } from "./compare-command.ts";
import { compare, comparisonMetrics, type Figure, type Observation } from "./comparison.ts";

const observation = (values: Partial<Record<MetricName, number | null>>): Observation => ({
  row: "broadcast",
  figures: metrics(values) as Figure[],
});

const runs = (medians: (number | null)[], perSecond = 100) =>
  medians.map((medianMs) => observation({ medianMs, connectsPerSecond: perSecond, lost: 0 }));

test("a difference confirmed by repeated runs, with its direction", () => {
  const slower = compare(runs([10, 11, 12, 13], 200), runs([20, 21, 22, 23], 100), 0.05);
  expect(slower.find(({ figure }) => figure.name === "medianMs")).toMatchObject({
    base: 11.5,
    other: 21.5,
    verdict: "worse",
  });
  expect(slower.find(({ figure }) => figure.name === "connectsPerSecond")?.verdict).toBe("worse");
  expect(slower.find(({ figure }) => figure.name === "lost")).toMatchObject({
    ratio: null,
    verdict: "within the noise",
  });
  const faster = compare(runs([20, 21, 22, 23]), runs([10, 11, 12, 13]), 0.05);
  expect(faster[0]?.verdict).toBe("better");
});

test("overlapping runs are noise, and single runs show nothing", () => {
  const noisy = compare(runs([10, 20, 30, 40]), runs([15, 25, 35, 45]), 0.05);
  expect(noisy[0]?.verdict).toBe("within the noise");
  expect(compare(runs([10]), runs([100]), 0.05)[0]?.verdict).toBe("too few runs");
  expect(compare(runs([1, 2, 3]), runs([10, 20, 30]), 0.05)[0]?.verdict).toBe("too few runs");
});

test("rows missing on one side are left out", () => {
  const other = runs([1]).map((observation) => ({ ...observation, row: "something else" }));
  expect(compare(runs([1]), other, 0.05)).toEqual([]);
});

test("metrics: the worst ratio of a figure, in either direction", () => {
  const differences = compare(runs([10, 10, 10, 10], 100), runs([12, 12, 12, 12], 80), 0.05);
  expect(comparisonMetrics(differences)).toMatchObject({
    worse: 2,
    better: 0,
    medianMs: 1.2,
    connectsPerSecond: 0.8,
  });
});

test("one run on each side: changes for the worse are unknown, and thresholds about them fail", () => {
  const differences = compare(runs([10]), runs([100]), 0.05);
  const values = comparisonMetrics(differences);
  expect(values).toMatchObject({ worse: null, better: null, medianMs: null, lost: 0 });
  const named = Object.entries(values).map(([name, value]) => ({ name, value, labels: {} }));
  expect(checkThresholds(parseThresholds(["worse==0"], Object.keys(values)), named)[0]?.passed).toBe(false);
  expect(comparisonSummary(differences, 0.05)).toMatch(/Nothing can be judged: too few runs. At least 4/);
});

test("judged differences are counted, with the number expected by chance", () => {
  const text = comparisonSummary(compare(runs([1, 2, 3, 4], 9), runs([5, 6, 7, 8], 9), 0.05), 0.05);
  expect(text).toMatch("Of 2 figures that can be judged: 1 worse, 0 better, 1 within the noise");
  expect(text).not.toMatch("Nothing can be judged");
});

const withCounts = (counts: { lost: number; stalls?: number }[]) =>
  counts.map((values) => observation({ medianMs: 10, stalls: 0, ...values }));

test("a single lost message is worse, however many runs lost none", () => {
  const none = [0, 0, 0, 0].map((lost) => ({ lost }));
  const once = compare(withCounts(none), withCounts([...none.slice(1), { lost: 1 }]), 0.05);
  expect(once.find(({ figure }) => figure.name === "lost")).toMatchObject({
    base: 0,
    other: 1,
    verdict: "worse",
  });
  expect(comparisonMetrics(once)).toMatchObject({ worse: 1, lost: 1 });
  const both = compare(withCounts([{ lost: 9 }]), withCounts([{ lost: 1 }]), 0.05);
  expect(both.find(({ figure }) => figure.name === "lost")?.verdict).toBe("worse");
  expect(comparisonMetrics(both)).toMatchObject({ worse: 1 });
});

test("a stall is worse if the base had none", () => {
  const [none, one] = [{ lost: 0 }, { lost: 0, stalls: 1 }];
  const verdictOf = (base: object[], other: object[]) =>
    compare(withCounts(base as { lost: number }[]), withCounts(other as { lost: number }[]), 0.05).find(
      ({ figure }) => figure.name === "stalls",
    )?.verdict;
  expect(verdictOf([none, none, none, none], [none, none, none, one])).toBe("worse");
  expect(verdictOf([none, none, one, one], [none, none, one, one])).toBe("within the noise");
});

test("a message that never arrived ranks behind every time, and fails a threshold", () => {
  const differences = compare(runs([10, 11, 12, 13]), runs([null, null, null, null]), 0.05);
  expect(differences[0]).toMatchObject({ base: 11.5, other: Infinity, verdict: "worse", ratio: null });
  expect(comparisonMetrics(differences)).toMatchObject({ worse: 1, medianMs: null });
  expect(comparisonSummary(differences, 0.05)).toMatch(/11.5 ms +never/);
});
