import { expect, test } from "vitest";
import { metrics, type MetricName } from "../report/metric.ts";
import type { Result } from "../report/result.ts";
import { checkThresholds, parseThresholds } from "../report/thresholds.ts";
import { comparisonSummary } from "./compare-command.ts";
import {
  compare,
  comparisonMetrics,
  observationsOf,
  setupDifferences,
  type Figure,
  type Observation,
} from "./comparison.ts";

const observation = (values: Partial<Record<MetricName, number | null>>): Observation => ({
  row: "broadcast",
  figures: metrics(values) as Figure[],
});

const runs = (medians: (number | null)[], perSecond = 100) =>
  medians.map((medianMs) => observation({ medianMs, connectsPerSecond: perSecond, lost: 0 }));

test("a difference confirmed by repeated runs, with its direction", () => {
  const { differences: slower } = compare(runs([10, 11, 12, 13], 200), runs([20, 21, 22, 23], 100), 0.05);
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
  const { differences: faster } = compare(runs([20, 21, 22, 23]), runs([10, 11, 12, 13]), 0.05);
  expect(faster[0]?.verdict).toBe("better");
});

test("overlapping runs are noise, and single runs show nothing", () => {
  const verdict = (base: number[], other: number[]) =>
    compare(runs(base), runs(other), 0.05).differences[0]?.verdict;
  expect(verdict([10, 20, 30, 40], [15, 25, 35, 45])).toBe("within the noise");
  expect(verdict([10], [100])).toBe("too few runs");
  expect(verdict([1, 2, 3], [10, 20, 30])).toBe("too few runs");
});

test("rows that only the base has are named, and nothing can pass as not worse", () => {
  const same = runs([1, 1, 1, 1]);
  const more = same.map((observation) => ({ ...observation, row: "more members" }));
  const added = compare(same, [...same, ...more], 0.05);
  expect(added.missing).toEqual([]);
  expect(comparisonMetrics(added)).toMatchObject({ worse: 0 });
  const removed = compare([...same, ...more], same, 0.05);
  expect(removed.missing).toEqual(["more members"]);
  expect(comparisonMetrics(removed)).toMatchObject({ worse: null });
  expect(comparisonSummary(removed, 0.05)).toMatch("Not measured on the new side: more members.");
});

test("a single figure that only the base has is named, and can't pass as not worse", () => {
  const base = [1, 1, 1, 1].map((medianMs) => observation({ medianMs, rssPerConnectionBytes: 9000 }));
  const other = [1, 1, 1, 1].map((medianMs) => observation({ medianMs, rssPerConnectionBytes: null }));
  const compared = compare(base, other, 0.05);
  expect(compared.missing).toEqual(["broadcast: memory per connection"]);
  expect(comparisonMetrics(compared)).toMatchObject({ worse: null });
  expect(comparisonSummary(compared, 0.05)).toMatch(
    "Not measured on the new side: broadcast: memory per connection.",
  );
  expect(compare(other, base, 0.05).missing).toEqual([]);
});

test("options that only one side has are named", () => {
  const environment = { cpu: "one", cores: 2, memoryBytes: 1, node: "v26" };
  const result = (command: string, options: object) =>
    ({ meta: { command, options, environment } }) as Result;
  const differences = setupDifferences(
    [result("versus", { users: [100], cores: 1 }), result("echo", { bytes: 14 })],
    [result("versus", { users: [100], client: "socket.io", url: "http://127.0.0.1:3000" })],
  );
  expect(differences).toEqual(["versus: cores was 1, now none", 'versus: client was none, now "socket.io"']);
});

test("metrics: the worst ratio of a figure, in either direction", () => {
  const compared = compare(runs([10, 10, 10, 10], 100), runs([12, 12, 12, 12], 80), 0.05);
  expect(comparisonMetrics(compared)).toMatchObject({
    worse: 2,
    better: 0,
    medianMs: 1.2,
    connectsPerSecond: 0.8,
  });
});

test("one run on each side: changes for the worse are unknown, and thresholds about them fail", () => {
  const compared = compare(runs([10]), runs([100]), 0.05);
  const values = comparisonMetrics(compared);
  expect(values).toMatchObject({ worse: null, better: null, medianMs: null, lost: 0 });
  const named = Object.entries(values).map(([name, value]) => ({ name, value, labels: {} }));
  expect(checkThresholds(parseThresholds(["worse==0"], Object.keys(values)), named)[0]?.passed).toBe(false);
  expect(comparisonSummary(compared, 0.05)).toMatch(/Nothing can be judged: too few runs. At least 4/);
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
  expect(once.differences.find(({ figure }) => figure.name === "lost")).toMatchObject({
    base: 0,
    other: 1,
    verdict: "worse",
  });
  expect(comparisonMetrics(once)).toMatchObject({ worse: 1, lost: 1 });
  const both = compare(withCounts([{ lost: 9 }]), withCounts([{ lost: 1 }]), 0.05);
  expect(both.differences.find(({ figure }) => figure.name === "lost")?.verdict).toBe("worse");
  expect(comparisonMetrics(both)).toMatchObject({ worse: 1 });
});

test("a fault is worse even if the base did not measure it", () => {
  const four = (values: Partial<Record<MetricName, number | null>>) =>
    [1, 1, 1, 1].map(() => observation(values));
  const faultsOf = (base: Observation[], other: Observation[]) => {
    const { differences } = compare(base, other, 0.05);
    return differences.flatMap(({ row, figure, other, verdict }) =>
      verdict === "worse" ? [`${row}: ${figure.name} ${other}`] : [],
    );
  };
  const base = four({ medianMs: 10 });
  expect(faultsOf(base, four({ medianMs: 10, lost: 500, corrupted: 0, stalls: 3 }))).toEqual([
    "broadcast: lost 2000",
  ]);
  expect(faultsOf(four({ unstored: null }), four({ unstored: 77 }))).toEqual(["broadcast: unstored 308"]);
  const larger = { ...observation({ medianMs: 99, lost: 9 }), row: "more members" };
  expect(faultsOf(base, [...base, larger])).toEqual(["more members: lost 9"]);
});

test("passes share their servers, so one file is one run", () => {
  const passes = [1, 2, 3, 4].flatMap((pass) =>
    metrics({ medianMs: 10 + pass, lost: 1 }, { pass, server: "ws" }),
  );
  const [first, ...more] = observationsOf({
    meta: { command: "limits" },
    metrics: passes,
  } as unknown as Result);
  expect(more).toEqual([]);
  expect(first).toMatchObject({ row: "limits, server ws", figures: [{ value: 12.5 }, { value: 4 }] });
});

test("a stall is worse if the base had none", () => {
  const [none, one] = [{ lost: 0 }, { lost: 0, stalls: 1 }];
  const verdictOf = (base: object[], other: object[]) =>
    compare(
      withCounts(base as { lost: number }[]),
      withCounts(other as { lost: number }[]),
      0.05,
    ).differences.find(({ figure }) => figure.name === "stalls")?.verdict;
  expect(verdictOf([none, none, none, none], [none, none, none, one])).toBe("worse");
  expect(verdictOf([none, none, one, one], [none, none, one, one])).toBe("within the noise");
});

test("what never recovered ranks behind every time", () => {
  const recovered = (times: (number | null)[]) => times.map((recoveredMs) => observation({ recoveredMs }));
  const { differences } = compare(recovered([900, 800, 700, 600]), recovered([null, null, null, 500]), 0.05);
  expect(differences[0]).toMatchObject({ other: Infinity, runs: { base: 4, other: 4 } });
});

test("a message that never arrived ranks behind every time, and fails a threshold", () => {
  const compared = compare(runs([10, 11, 12, 13]), runs([null, null, null, null]), 0.05);
  expect(compared.differences[0]).toMatchObject({
    base: 11.5,
    other: Infinity,
    verdict: "worse",
    ratio: null,
  });
  expect(comparisonMetrics(compared)).toMatchObject({ worse: 1, medianMs: null });
  expect(comparisonSummary(compared, 0.05)).toMatch(/11.5 ms +never/);
});
