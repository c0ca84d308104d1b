import { afterEach, beforeEach, expect, test } from "vitest";
import { runCli } from "../src/cli/commands.ts";
import type { Result } from "../src/report/result.ts";
import { startFakePlatform } from "./fake-platform.ts";
import { metricValue } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

/** Both searches start a server, and each attempt connects all members again, on a machine with other load. */
const LONG = { timeout: 600_000 };

const BOTH =
  "--limit 10s --most-users 60 --most-rate 60 --members 20 --senders 4 --duration 1s " +
  "--threshold membersWithinLimit==60 --threshold deliveriesPerSecond==1200";

/** Each attempt, by the names of the columns. */
function attempts({ tables }: Result): Record<string, string>[][] {
  const found = tables.filter(({ label }) => label === "Attempts");
  return found.map(({ rows: [head = [], ...rows] }) =>
    rows.map((row) => Object.fromEntries(row.map((cell, i) => [head[i] || "outcome", cell]))),
  );
}

/** What the table of a search says, by what it is about. */
function summary({ tables }: Result, heading: RegExp): Record<string, string> {
  const found = tables.find(({ label }) => heading.test(label));
  return Object.fromEntries(found?.rows.map(([name, text]) => [name, text]) ?? []);
}

test("both searches, with a server started for them", { ...LONG, tags: "long" }, async () => {
  const { code, stdout, ...outcome } = await bench.run("capacity", ...BOTH.split(" "));
  const result = outcome.result as Result;
  expect(stdout).toMatch(/passes +60 members, worst message [\d.,]+ ms, median [\d.,]+ ms/);
  expect(stdout).toMatch(/passes +60 messages\/s, 1,200 deliveries\/s/);
  expect(code).toBe(0);
  expect(result.meta).toMatchObject({ title: "Capacity of fanfare" });
  expect(result.meta.subtitle[0]).toMatch("fanfare, started for this run");
  expect(metricValue(result, "membersWithinLimit")).toBe(60);
  expect(metricValue(result, "messagesWithinLimit")).toBe(60);
  expect(summary(result, /^Members/)["fails"]).toMatch("nothing failed, up to the search limit (60)");
  expect(summary(result, /^Messages/)["fails"]).toMatch("nothing failed, up to the search limit (60)");
  // 1 + 2 at the start, and 5 that count; 60 a second.
  const [users, rate] = attempts(result);
  expect(users!.map(({ attempt, acknowledged }) => [attempt, acknowledged])).toEqual([
    ["60", "8"],
    ["60", "8"],
  ]);
  const held = rate!.findLast(({ outcome: text }) => text === "passes")!;
  expect(held["attempt"]).toBe("60");
  expect(Number(held["acknowledged"])).toBeGreaterThan(50);
  expect(Number(held["server cores"])).toBeGreaterThan(0);
  expect(await bench.leftovers()).toEqual([]);
});

test("a server that loses messages above a number of members", { ...LONG, tags: "long" }, async () => {
  const platform = await startFakePlatform((member, message) =>
    member >= 60 && message === 7 ? "drop" : undefined,
  );
  const options = `--limit 3s --search users --most-users 100 --precision 100 --url ${platform.url}`;
  try {
    const { code, stdout, ...outcome } = await bench.run(
      "capacity",
      ...options.split(" "),
      "--threshold",
      "membersWithinLimit>=60",
    );
    const result = outcome.result as Result;
    expect(metricValue(result, "membersWithinLimit")).toBe(50);
    expect(summary(result, /^Members/)).toMatchObject({
      passes: expect.stringMatching(/^50 members, worst message [\d.]+ ms, median [\d.]+ ms$/),
      fails: "100 members: 40 deliveries lost",
    });
    const [search] = attempts(result);
    expect(search!.map((one) => [one["attempt"], one["lost"], one["outcome"]])).toEqual([
      ["100", "40", "fails"],
      ["100", "40", "fails"],
      ["50", "0", "passes"],
      ["50", "0", "passes"],
    ]);
    expect(search![0]!["worst"]).toBe("–");
    expect(result.series[0]!.points.at(-1)).toEqual({ x: 100, y: null, kind: "fails" });
    expect(stdout).toMatch(/fails +100 members: 40 deliveries lost/);
    // On a busy machine the tester names what it lacked itself.
    expect(stdout).toMatch(/exhausted +(unknown|cpu|generator)/);
    expect(code).toBe(99);
  } finally {
    await platform.close();
  }
});

test("a server that loses what it acknowledged above a rate", LONG, async () => {
  const platform = await startFakePlatform();
  platform.storedAs = (content) => (/ 3 \d+ /.test(content) ? [] : [content]);
  const options =
    "--limit 10s --search rate --most-rate 4 --members 3 --senders 2 --duration 1s --precision 100";
  const outcome = await bench.run("capacity", ...options.split(" "), "--url", platform.url);
  await platform.close();
  const result = outcome.result as Result;
  expect(metricValue(result, "messagesWithinLimit")).toBe(2);
  expect(summary(result, /^Messages/)["fails"]).toMatch("1 acknowledged messages not persisted");
});

test.each([
  [["--target", "ws"], "--target ws only supports the search for members: add --search users."],
  [["--limit", "0s"], "--limit must be a time such as 500ms, 90s, 30m or 2h, from 1ms"],
  [["--threshold", "p100<1"], "unknown metric p100. Metrics: membersWithinLimit, messagesWithinLimit"],
])("rejects %j", async (args, message) => {
  await expect(runCli(["capacity", ...args])).rejects.toMatchObject({
    code: 64,
    message: expect.stringContaining(message),
  });
});
