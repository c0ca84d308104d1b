import { expect, test } from "vitest";
import { judgeOverload, type OverloadMeasurement } from "./overload-result.ts";

const MIB = 1024 * 1024;

const survived: Omit<OverloadMeasurement, "verdicts"> = {
  users: 10,
  senders: 5,
  stalled: 0,
  gateways: null,
  workers: null,
  capacity: { perSecond: 1000, steps: [] },
  overload: {
    offeredPerSecond: 2000,
    durationMs: 60_000,
    intended: 120_000,
    acknowledged: 60_000,
    refused: 60_000,
    notSent: 0,
    unanswered: 0,
    acknowledgedPerSecond: 1000,
    ackMs: null,
    refusedMs: null,
    deliveredMaxMs: 900,
    refusalsByCode: { OVERLOADED: 60_000 },
    serverCores: 1.5,
    cpuSecondsByKind: {},
    withoutRetryAfter: 0,
  },
  baseline: { ackMaxMs: 10, deliveredMaxMs: 12 },
  recovery: { ackLimitMs: 100, deliveredLimitMs: 100, normalAfterMs: 300, watchedMs: 10_000 },
  memory: {
    beforeBytes: 300 * MIB,
    peakBytes: 500 * MIB,
    growthBytes: 10 * MIB,
    databaseBeforeBytes: null,
    databaseAfterBytes: null,
    samples: [],
  },
  counts: {
    acknowledged: 60_000,
    stored: 60_000,
    storedTwice: 0,
    unstored: 0,
    disturbed: 0,
    resyncs: 0,
    lost: 0,
  },
  tester: { sentLateMs: 5, senderBusy: 0.3, receiverBusy: 0.2, otherProgramsCores: 0 },
  errors: [],
};

test("a survived overload has no verdict", () => {
  expect(judgeOverload(survived)).toEqual([]);
});

test.each<[string, Partial<OverloadMeasurement>]>([
  ["1 acknowledged messages are not in the database", { counts: { ...survived.counts, unstored: 1 } }],
  ["2 messages are in the database twice", { counts: { ...survived.counts, storedTwice: 2 } }],
  ["3 deliveries of acknowledged messages never arrived", { counts: { ...survived.counts, lost: 3 } }],
  ["4 messages were neither", { overload: { ...survived.overload, unanswered: 4 } }],
  ["5 rejections had no retry time", { overload: { ...survived.overload, withoutRetryAfter: 5 } }],
  ["not normal again within the 10 s", { recovery: { ...survived.recovery, normalAfterMs: null } }],
  ["normal again only after 5.1 s", { recovery: { ...survived.recovery, normalAfterMs: 5100 } }],
  ["grew by 120 MiB", { memory: { ...survived.memory, growthBytes: 120 * MIB } }],
  ["Other programs used 999.0", { tester: { ...survived.tester, otherProgramsCores: 999 } }],
  ["up to 200 ms late", { tester: { ...survived.tester, sentLateMs: 200 } }],
])("%s", (verdict, change) => {
  const verdicts = judgeOverload({ ...survived, ...change });
  expect(verdicts).toHaveLength(1);
  expect(verdicts[0]).toMatch(verdict);
});
