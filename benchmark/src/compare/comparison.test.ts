import { expect, test } from "vitest";
import { figures } from "../report/figures.ts";
import { checkThresholds, parseThresholds } from "../report/thresholds.ts";
import { comparisonSummary } from "./comparison-summary.ts";
import { compare, comparisonMetrics } from "./comparison.ts";

const runs = (p100s: number[], perSecond = 100) =>
  p100s.map((p100Ms) => ({
    row: "broadcast",
    figures: figures({ p100Ms, connectsPerSecond: perSecond, lost: 0 }),
  }));

test("a difference confirmed by repeated runs, with its direction", () => {
  const slower = compare(runs([10, 11, 12, 13], 200), runs([20, 21, 22, 23], 100), 0.05);
  expect(slower.find(({ figure }) => figure.key === "p100Ms")).toMatchObject({
    base: 11.5,
    other: 21.5,
    verdict: "worse",
  });
  expect(slower.find(({ figure }) => figure.key === "connectsPerSecond")?.verdict).toBe("worse");
  expect(slower.find(({ figure }) => figure.key === "lost")).toMatchObject({
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

test("metrics: the worst ratio of a figure, whatever its direction", () => {
  const differences = compare(runs([10, 10, 10, 10], 100), runs([12, 12, 12, 12], 80), 0.05);
  expect(comparisonMetrics(differences)).toMatchObject({
    worse: 2,
    better: 0,
    p100Ms: 1.2,
    connectsPerSecond: 0.8,
  });
});

test("one run on each side: changes for the worse are unknown, and thresholds about them fail", () => {
  const differences = compare(runs([10]), runs([100]), 0.05);
  const metrics = comparisonMetrics(differences);
  expect(metrics).toMatchObject({ worse: null, better: null });
  expect(checkThresholds(parseThresholds(["worse==0"], Object.keys(metrics)), metrics)[0]?.passed).toBe(
    false,
  );
  expect(comparisonSummary(differences, 0.05)).toMatch(/Nothing can be judged: too few runs. At least 4/);
});

test("judged differences are counted, with the number expected by chance", () => {
  const text = comparisonSummary(compare(runs([1, 2, 3, 4], 9), runs([5, 6, 7, 8], 9), 0.05), 0.05);
  expect(text).toMatch("Of 3 figures that can be judged: 1 worse, 0 better, 2 within the noise");
  expect(text).not.toMatch("Nothing can be judged");
});
