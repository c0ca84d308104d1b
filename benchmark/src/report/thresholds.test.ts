import { expect, test } from "vitest";
import { metrics, overPasses, type Metric } from "./metric.ts";
import { checkThresholds, parseThresholds } from "./thresholds.ts";

const NAMES = ["worstMs", "lost", "medianMsRatio"];
const check = (expression: string, all: readonly Metric[]) =>
  checkThresholds(parseThresholds([expression], NAMES), all)[0];
const passes = (expression: string, value: number | null) =>
  check(expression, metrics({ worstMs: value }))?.passed;

test.each([
  ["worstMs<1200", 1199, true],
  ["worstMs<1200", 1200, false],
  ["worstMs <= 1200", 1200, true],
  ["worstMs>1.5", 1.6, true],
  ["worstMs>=2", 1.9, false],
  ["worstMs==0", 0, true],
])("%s of %d", (expression, value, passed) => {
  expect(passes(expression, value)).toBe(passed);
});

test("a value that was not measured fails", () => {
  expect(passes("worstMs<1200", null)).toBe(false);
  expect(check("worstMs<1200", metrics({ lost: 0 }))).toMatchObject({ value: null, passed: false });
});

test("a threshold holds for every metric of its name, and reports the one that fails", () => {
  const all = [1000, 2000, 3000].flatMap((members) =>
    metrics({ worstMs: members === 2000 ? 90 : 10 }, { members }),
  );
  expect(check("worstMs<100", all)).toMatchObject({ passed: true });
  expect(check("worstMs<50", all)).toEqual({ expression: "worstMs<50", value: 90, passed: false });
});

test("labels select metrics", () => {
  const all = [
    ...metrics({ worstMs: 10 }, { server: "ws", members: 1000 }),
    ...metrics({ worstMs: 90 }, { server: "fanfare", members: 1000 }),
    ...metrics({ worstMs: 20 }, { server: "fanfare", members: 500 }),
  ];
  expect(check("worstMs[server=ws]<50", all)).toMatchObject({ value: 10, passed: true });
  expect(check("worstMs[members=1000]<50", all)).toMatchObject({ value: 90, passed: false });
  expect(check("worstMs[server=fanfare, members=500]<50", all)).toMatchObject({ value: 20, passed: true });
});

test.each(["worstMs[server=nginx]<50", "worstMs[color=red]<50"])(
  "%s: a label that nothing has fails instead of being ignored",
  (expression) => {
    const all = metrics({ worstMs: 10 }, { server: "ws" });
    expect(check(expression, all)).toMatchObject({ value: null, passed: false });
  },
);

test("several passes are checked by what they become together", () => {
  const passesOf = (values: (number | null)[]) =>
    overPasses(values.flatMap((worstMs, i) => metrics({ worstMs, lost: 1 }, { pass: i + 1 })));
  expect(check("worstMs<50", passesOf([10, 60, 20]))).toMatchObject({ value: 60, passed: false });
  expect(check("lost<=2", passesOf([10, 20, 30]))).toMatchObject({ value: 3, passed: false });
  expect(check("worstMs<50", passesOf([10, null, 20]))).toMatchObject({ value: null, passed: false });
});

test.each([
  "worstMs",
  "worstMs<",
  "worstMs<x",
  "<5",
  "worstMs=5",
  "worstMs<5;",
  "worstMs[]<5",
  "worstMs[members]<5",
  "worstMs[members=5<5",
])("rejects %s", (expression) => {
  expect(() => parseThresholds([expression], NAMES)).toThrow(/is invalid/);
});

test("an unknown metric is rejected with a list of known ones", () => {
  expect(() => parseThresholds(["p101<5"], NAMES)).toThrow("Metrics: worstMs, lost, medianMsRatio.");
});
