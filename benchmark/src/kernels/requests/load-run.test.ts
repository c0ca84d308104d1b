import { expect, test } from "vitest";
import { judgeLoad, type JudgedLoad } from "./load-run.ts";

const percentiles = (p50: number, p99: number) => ({
  p50,
  p75: p50,
  p90: p50,
  p95: p99,
  p99,
  "p99.9": p99,
  p100: p99,
});

const FINE: JudgedLoad = {
  senderBusy: 0.6,
  senderWaiting: 0.1,
  receiverBusy: 0.7,
  receiverWaiting: 0.1,
  sentLateMs: percentiles(0.1, 1.5),
  standstillMs: 20,
  otherProgramsCores: 0,
  missed: 0,
  intended: 1000,
  ackMs: percentiles(2, 10),
};

test("a tester that keeps up has no verdict", () => {
  expect(judgeLoad(FINE)).toEqual([]);
  expect(judgeLoad({ ...FINE, sentLateMs: percentiles(1, 19), ackMs: percentiles(50, 100) })).toEqual([]);
});

test.each([
  [{ senderBusy: 0.9 }, "busiest sending thread was busy 90 %"],
  [{ receiverBusy: 0.95 }, "busiest receiving thread was busy 95 %"],
  [{ receiverWaiting: 0.5 }, "waited for one 50 %"],
  [{ sentLateMs: percentiles(0.1, 6) }, "made 6.0 ms or more after it was due"],
  [{ missed: 3 }, "3 of 1000 due requests were not made"],
  [{ standstillMs: 900 }, "stood still for up to 900 ms"],
  [{ otherProgramsCores: 1000 }, "Other programs used 1000.0"],
])("a tester that can't keep up says so: %j", (load, verdict) => {
  const verdicts = judgeLoad({ ...FINE, ...load });
  expect(verdicts).toHaveLength(1);
  expect(verdicts[0]).toMatch(verdict);
});
