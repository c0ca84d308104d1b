import { expect, test } from "vitest";
import type { Result } from "./result.ts";
import { textReport } from "./text-report.ts";
import { inCurrentVersion } from "./upgrade.ts";

/** A stored result of version 1, with the fields that are read. */
const stored = (fields: object) =>
  ({
    version: 1,
    interrupted: false,
    options: {},
    thresholds: [],
    errors: [],
    ...fields,
  }) as unknown as Result;

const PASS = {
  label: "2 gateways",
  target: { name: "fanfare" },
  users: 10,
  rounds: [30, 8, 20, 10].map((p100Ms, i) => ({
    kind: ["first", "cold", "warm", "warm"][i],
    p100Ms,
    lost: 0,
  })),
  warm: { p100Ms: { min: 10, median: 15, max: 20 } },
  bursts: [],
  server: { cpuMsPerMessage: null, cpuMsPerMessageByKind: null, natsPerMessage: null },
  generator: { verdicts: [] },
  counts: { lost: 0 },
  errors: [],
};
const BARE = { ...PASS, label: "socket.io", target: { name: "socket.io" } };
/** As version 1 stored them: a median named p100Ms. */
const FIGURES = { p100Ms: 15, bestP100Ms: 10, coldMs: 8, lost: 0, bursts: [] };
const REBUILT = { worstMs: 20, medianMs: 15, bestMs: 10, firstMs: 30, coldMs: 8 };

test("the figures of version 1 are rebuilt from the passes", () => {
  const passes = [PASS, BARE];
  const sweep = stored({ command: "sweep", rows: [{ users: 10, ...FIGURES }], passes });
  expect(inCurrentVersion(sweep)).toMatchObject({ version: 2, rows: [{ users: 10, ...REBUILT }] });
  const limits = stored({ command: "limits", figures: { fanfare: FIGURES }, ratios: [], passes });
  const { figures, ratios } = inCurrentVersion(limits) as Extract<Result, { command: "limits" }>;
  expect(figures).toMatchObject({ fanfare: REBUILT, "socket.io": REBUILT });
  expect(ratios[0]).toMatchObject({ name: "worstVsSocketIo", value: 1 });
  const rows = [{ label: "2 gateways", gateways: 2, ...FIGURES }];
  const cluster = inCurrentVersion(stored({ command: "cluster", rows, passes }));
  expect(cluster).toMatchObject({ rows: [{ ...REBUILT, gateways: 2, worstVsSocketIo: 1 }, REBUILT] });
  expect(JSON.stringify([figures, cluster])).not.toMatch(/"p100VsSocketIo"|"bestP100Ms"/);
});

test("what version 1 did not store is a dash", () => {
  const attempt = {
    value: 10,
    held: true,
    isFinal: false,
    p100Ms: 20,
    lost: 0,
    refused: 0,
    serverCores: null,
    reasons: [],
    resource: null,
  };
  const search = {
    what: "users",
    members: null,
    held: attempt,
    failed: null,
    atMost: 10,
    attempts: [attempt],
  };
  const target = { name: "fanfare", url: "", isThrowaway: true };
  const result = inCurrentVersion(
    stored({ command: "capacity", target, p100LimitMs: 100, searches: [search] }),
  );
  expect(textReport(result)).toMatch(/\n {2}10 +20.0 ms +– +– +– +0 +0 +– +passes/);
  const none = stored({
    command: "sweep",
    rows: [{ users: 10, ...FIGURES }],
    passes: [{ ...PASS, rounds: [] }],
  });
  expect(textReport(inCurrentVersion(none))).toMatch(/\n {2}10 +– +– +– +– /);
});

test("an unknown version is rejected", () => {
  expect(() => inCurrentVersion(stored({ version: 3 }))).toThrow(
    "it has version 3, but this tester reads versions 1 and 2",
  );
});
