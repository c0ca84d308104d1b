import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Result } from "../src/report/result.ts";
import { startFakePlatform, type FakePlatform } from "./fake-platform.ts";
import { metricValues } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";

const CHANNEL = "0123456789abcdef01234567";
const SMALL = ["--users", "20", "--messages", "2", "--warmup", "0", "--idle", "10ms", "--interval", "10ms"];

let bench: Bench;
let platform: FakePlatform;
beforeEach(async () => {
  bench = await Bench.open();
  // With the second message of each run, all tokens of its beginning expire.
  platform = await startFakePlatform((_, message) => {
    if (message === 1) platform.expireTokens();
    return undefined;
  });
  platform.tokenMs = 30_000;
});
afterEach(async () => {
  await platform.close();
  await bench.close();
});

const STORED_ALL = { received: 60, lost: 0, unstored: 0 };

test("what is stored is read back after the tokens of the beginning have expired", async () => {
  const { code, stderr, result } = await bench.run("broadcast", ...SMALL, "--url", platform.url);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(metricValues(result as Result, Object.keys(STORED_ALL))).toEqual(STORED_ALL);
});

test("members connect again in a later pass", async () => {
  const targets = ["--targets", `fanfare=${platform.url},ws`, "--passes", "2", "--burst", ""];
  const { code, stderr, result } = await bench.run("limits", ...SMALL, ...targets);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const pass of [1, 2]) {
    const labels = { server: "fanfare", pass };
    expect(metricValues(result as Result, Object.keys(STORED_ALL), labels)).toEqual(STORED_ALL);
  }
});

const members = Array.from({ length: 20 }, (_, i) => `guest-${i}`);

const CONNECTING = [
  { command: "broadcast", options: SMALL, tags: [] },
  { command: "connect", options: [...SMALL.slice(0, 4), "--hold", "1s", "--settle", "0s"], tags: "long" },
];
for (const { command, options, tags } of CONNECTING)
  test(`users that exist only need valid tokens to connect: ${command}`, { tags }, async () => {
    const file = join(bench.folder, "tokens.txt");
    await writeFile(file, ["owner", ...members].join("\n"));
    const existing = ["--tokens", file, "--channel", CHANNEL, "--url", platform.url];
    const { code, stderr, result } = await bench.run(command, ...options, ...existing);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(metricValues(result as Result, ["lost", "unstored"])).toEqual({ lost: 0, unstored: 0 });
  });

test("members connect again in a later attempt to find the capacity", { tags: "long" }, async () => {
  const search = ["--search", "users", "--most-users", "20", "--limit", "60s"];
  const { code, stderr, result } = await bench.run("capacity", "--url", platform.url, ...search);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(metricValues(result as Result, ["membersWithinLimit"])).toEqual({ membersWithinLimit: 20 });
});

test("a search for the capacity ends when the tokens of users that exist have expired", async () => {
  const file = join(bench.folder, "tokens.txt");
  await writeFile(file, ["owner", ...members].join("\n"));
  const existing = ["--tokens", file, "--channel", CHANNEL, "--url", platform.url];
  const { code, stderr } = await bench.run("capacity", "--search", "users", "--limit", "60s", ...existing);
  expect(code).toBe(2);
  expect(stderr).toMatch("TOKEN_EXPIRED");
  expect(stderr).toMatch("register --out");
});

const HTTP = ["--users", "4", "--channels", "2", "--connections", "2", "--warmup", "5"];

const WARMED_UP = [
  { command: "http", last: "message.list", options: HTTP, tags: [] },
  {
    command: "login",
    last: "connect",
    options: ["--users", "4", "--warmup", "1", "--in-flight", "2"],
    tags: "long",
  },
];
for (const { command, last, options, tags } of WARMED_UP)
  test(
    `${command} makes requests with valid tokens after those of the warm-up have expired`,
    { tags },
    async () => {
      // What comes last before the measurement.
      platform.onUse = (what) => {
        if (what !== last) return;
        platform.onUse = () => {};
        platform.expireTokens();
      };
      const { stderr, result } = await bench.run(command, ...options, "--count", "20", "--url", platform.url);
      expect(stderr).toBe("");
      const counts = { sent: 20, acknowledged: 20, refused: 0, unanswered: 0 };
      expect(metricValues(result as Result, Object.keys(counts))).toEqual(counts);
    },
  );
