import { expect, test } from "vitest";
import type { MetricValues } from "../report/metric.ts";
import { judgeOverload } from "./overload-judge.ts";

const MIB = 1024 * 1024;

const survived: MetricValues = {
  lost: 0,
  unstored: 0,
  storedTwice: 0,
  withoutRetryAfter: 0,
  normalAfterMs: 300,
  memoryPeakBytes: 500 * MIB,
  memoryGrowthBytes: 10 * MIB,
  senderDelayMs: 5,
};

test("a survived overload has no verdict", () => {
  expect(judgeOverload(survived, { unanswered: 0, watchedMs: 10_000 })).toEqual([]);
});

test.each<[string, MetricValues, number?]>([
  ["1 acknowledged messages are not in the database", { unstored: 1 }],
  ["2 messages are in the database twice", { storedTwice: 2 }],
  ["3 deliveries of acknowledged messages never arrived", { lost: 3 }],
  ["4 messages were neither", {}, 4],
  ["5 rejections had no retry time", { withoutRetryAfter: 5 }],
  ["not normal again within the 10 s", { normalAfterMs: null }],
  ["normal again only after 5.1 s", { normalAfterMs: 5100 }],
  ["grew by 120 MiB", { memoryGrowthBytes: 120 * MIB }],
  ["6 receivers were disconnected", { dropped: 6 }],
  ["up to 200 ms late", { senderDelayMs: 200 }],
])("%s", (verdict, change, unanswered = 0) => {
  const verdicts = judgeOverload({ ...survived, ...change }, { unanswered, watchedMs: 10_000 });
  expect(verdicts).toHaveLength(1);
  expect(verdicts[0]).toMatch(verdict);
});
