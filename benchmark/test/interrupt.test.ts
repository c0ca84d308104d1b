import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const USERS = ["--users", "5000"];

test.each([
  ["broadcast", ...USERS],
  ["chatroom", ...USERS],
  ["connect", ...USERS],
  ["direct", "-c", "5000"],
  ["group", "-c", "5000"],
  ["http", ...USERS],
  ["login", "-c", "5000"],
  ["overload", ...USERS],
  ["stages", ...USERS],
  ["storm", ...USERS],
])("Ctrl-C before anything is measured: %s says how far it came", async (command, ...args) => {
  const outcome = await bench.runAndAct([command, ...args], "registering", (child) => child.kill("SIGINT"));
  expect(outcome.stdout).toMatch(`bench ${command}`);
  expect(outcome.stdout).toMatch(/Interrupted after [\d.]+ m?s, in "registering .+ of [\d,]+"/);
  expect(outcome.code).toBe(105);
  expect(outcome.result).toBeUndefined();
  expect(await bench.leftovers()).toEqual([]);
});
