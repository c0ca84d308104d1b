import { expect, test } from "vitest";
import { metrics, overPasses, ratios, type MetricName } from "./metric.ts";

const overPassesOf = (name: MetricName, values: readonly (number | null)[]) =>
  overPasses(values.flatMap((value, i) => metrics({ [name]: value }, { server: "ws", pass: i + 1 })));

test.each([
  ["medianMs", [3, 1, 2], 2],
  ["worstMs", [3, 9, 2], 9],
  ["bestMs", [3, 9, 2], 2],
  ["lost", [1, 0, 4], 5],
  // Later passes find memory that earlier ones left.
  ["rssPerConnectionBytes", [70, 10, 20], 70],
] as const)("passes of %s, %j, become %d", (name, values, expected) => {
  const [metric, ...others] = overPassesOf(name, values);
  expect(metric).toMatchObject({ value: expected, samples: values, labels: { server: "ws" } });
  expect(metric!.labels).not.toHaveProperty("pass");
  expect(others).toEqual([]);
});

test("a time that was never reached is not left out, but an unknown rate or cost is", () => {
  expect(overPassesOf("medianMs", [1, null, 3])[0]?.value).toBeNull();
  expect(overPassesOf("worstMs", [1, null])[0]?.value).toBeNull();
  expect(overPassesOf("connectsPerSecond", [1, null, 3])[0]?.value).toBe(2);
  expect(overPassesOf("connectsPerSecond", [null, null])[0]?.value).toBeNull();
});

test("what differs in more than the pass stays apart, and without passes nothing changes", () => {
  const sizes = [10, 20].flatMap((members) =>
    [1, 2].flatMap((pass) => metrics({ lost: pass * members }, { members, pass })),
  );
  expect(overPasses(sizes).map(({ labels, value }) => [labels, value])).toEqual([
    [{ members: 10 }, 30],
    [{ members: 20 }, 60],
  ]);
  const once = metrics({ lost: 1, medianMs: 2 }, { members: 10 });
  expect(overPasses(once)).toEqual(once);
});

test("ratios compare metrics with the same other labels", () => {
  const all = [
    ...metrics({ medianMs: 30, coldMs: 1 }, { server: "fanfare", members: 100 }),
    ...metrics({ burstMs: 10 }, { server: "fanfare", members: 100, burst: 20 }),
    ...metrics({ burstMs: 90 }, { server: "fanfare", members: 100, burst: 500 }),
    ...metrics({ medianMs: 20, coldMs: 1 }, { server: "ws", members: 100 }),
    ...metrics({ medianMs: 1 }, { server: "ws", members: 200 }),
    ...metrics({ burstMs: 40 }, { server: "ws", members: 100, burst: 20 }),
  ];
  const found = ratios(all, ["medianMs", "burstMs"], { server: "fanfare", to: "ws" });
  expect(found.map(({ name, value, labels }) => [name, value, labels])).toEqual([
    ["medianMsRatio", 1.5, { server: "fanfare", members: 100, to: "ws" }],
    ["burstMsRatio", 0.25, { server: "fanfare", members: 100, burst: 20, to: "ws" }],
  ]);
});

test.each([
  [null, 5],
  [5, null],
  [5, 0],
])("there is no ratio of %s to %s", (medianMs, other) => {
  const all = [...metrics({ medianMs }, { server: "a" }), ...metrics({ medianMs: other }, { server: "b" })];
  expect(ratios(all, ["medianMs"], { server: "a", to: "b" })).toEqual([]);
});
