import { expect, test } from "vitest";
import type { NodesPass } from "../cluster-nodes/nodes-result.ts";
import { PUBLISHED } from "../published/published.ts";
import type { Result } from "../report/result.ts";
import { besidePublished } from "./beside-published.ts";
import type { Suite } from "./suite-result.ts";
import { commandLine, SUITE_ROWS } from "./suite-rows.ts";

test("everything that others have published stands in the full report", () => {
  const full = SUITE_ROWS.filter((row) => commandLine(row, "full") !== null);
  const shown = full.flatMap(({ published = [] }) => published);
  // The table of the sweep has these in a column of its own.
  const inSweep = /^tailchat-\d+$/;
  const missing = Object.keys(PUBLISHED).filter((id) => !inSweep.test(id) && !shown.some((s) => s === id));
  expect(missing).toEqual([]);
  const sweep = commandLine(
    full.find(({ name }) => name === "sweep")!,
    "full",
  )!;
  for (const id of Object.keys(PUBLISHED).filter((name) => inSweep.test(name)))
    expect(sweep).toMatch(new RegExp(`\\b${id.replace("tailchat-", "")}\\b`));
});

test.each(["quick", "full"] as const)("the %s profile has every kind of measurement", (profile) => {
  const lines = SUITE_ROWS.map((row) => commandLine(row, profile)).filter((line) => line !== null);
  const commands = new Set(lines.map((line) => line.split(" ")[0]));
  const wanted =
    "sweep limits register connect login direct group chatroom cluster http echo stages storm overload capacity";
  for (const command of wanted.split(" ")) expect(commands).toContain(command);
  expect(lines.some((line) => line.startsWith("cluster --nodes 1,2"))).toBe(true);
});

test("so many nodes of ours stand beside as many of theirs", () => {
  const pass = (nodes: number, perSecond: number) =>
    ({
      nodes,
      rates: { acknowledgedPerSecond: perSecond, acknowledgedPerCpuSecond: 2000 },
      ack: { latencyMs: null },
      counts: { lost: 0, duplicates: 0, unstored: 0 },
    }) as unknown as NodesPass;
  const result = { command: "cluster-nodes", passes: [pass(1, 5000), pass(2, 8000)] } as unknown as Result;
  const suite = {
    index: { rows: [{ name: "cluster-nodes", command: "cluster --nodes 1,2" }] },
    results: new Map([["cluster-nodes", result]]),
  } as unknown as Suite;
  const lines = besidePublished(suite, () => "all")!.map((line) => line.slice(1, 4));
  expect(lines).toEqual([
    ["", "", "published"],
    ["acknowledged (1 node)", "5,000/s", "6,537/s"],
    ["scaling efficiency (1 node)", "1.00 ×", "1.00 ×"],
    ["acknowledged (2 nodes)", "8,000/s", "9,459/s"],
    ["scaling efficiency (2 nodes)", "0.80 ×", "0.72 ×"],
  ]);
});
