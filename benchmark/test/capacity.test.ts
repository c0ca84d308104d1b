import { afterEach, beforeEach, expect, test } from "vitest";
import { runCli } from "../src/cli.ts";
import type { CapacityResult } from "../src/report/result.ts";
import { startFakePlatform } from "./fake-platform.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

/** Both searches start a server, and each attempt connects all members again, on a machine with other load. */
const LONG = { timeout: 120_000 };

const BOTH =
  "--p100 10000 --most-users 150 --most-rate 60 --members 20 --senders 4 --seconds 1 " +
  "--threshold users==150 --threshold deliveriesPerSecond==1200";

test("both searches, with a server started for them", { ...LONG, tags: "long" }, async () => {
  const { code, stdout, ...outcome } = await bench.run("capacity", ...BOTH.split(" "));
  const { searches, target } = outcome.result as CapacityResult;
  expect(stdout).toMatch(/passes {4}150 members: worst message [\d.]+ ms, median [\d.]+ ms/);
  expect(stdout).toMatch("passes    60 messages/s, 1,200 deliveries/s");
  expect(code).toBe(0);
  expect(target).toMatchObject({ name: "fanfare", isThrowaway: true });
  expect(searches.map(({ what, held, failed }) => [what, held?.value, failed])).toEqual([
    ["users", 150, null],
    ["messagesPerSecond", 60, null],
  ]);
  // 1 + 2 at the start, and 5 that count; 60 a second.
  expect(searches[0]!.attempts.map(({ value, acknowledged }) => [value, acknowledged])).toEqual([
    [100, 8],
    [150, 8],
    [150, 8],
  ]);
  expect(searches.map(({ held }) => held!.worstMs! >= held!.medianMs!)).toEqual([true, true]);
  expect(searches.map(({ held }) => [held!.firstMs, held!.coldMs])).toEqual([
    [expect.any(Number), expect.any(Number)],
    [null, null],
  ]);
  expect(searches[1]!.held!.acknowledged).toBeGreaterThan(50);
  expect(searches[1]!.held!.serverCores).toBeGreaterThan(0);
  expect(await bench.leftovers()).toEqual([]);
});

test("a server that loses messages above a number of members", LONG, async () => {
  const platform = await startFakePlatform((member, message) =>
    member >= 60 && message === 7 ? "drop" : undefined,
  );
  const options = `--p100 1000 --search users --most-users 100 --precision 100 --url ${platform.url}`;
  try {
    const { code, stdout, ...outcome } = await bench.run(
      "capacity",
      ...options.split(" "),
      "--threshold",
      "users>=60",
    );
    const [search] = (outcome.result as CapacityResult).searches;
    expect(search).toMatchObject({
      what: "users",
      held: { value: 50, lost: 0, resource: null },
      failed: { value: 100, worstMs: null, medianMs: null, lost: 40, reasons: ["40 deliveries lost"] },
    });
    expect(search!.attempts.map(({ value }) => value)).toEqual([100, 100, 50, 50]);
    expect(stdout).toMatch("fails     100 members: 40 deliveries lost");
    // On a busy machine the tester also reports a lack of processors.
    expect(stdout).toMatch(/exhausted (unknown|cpu: server and tester share too few cores)/);
    expect(code).toBe(99);
  } finally {
    await platform.close();
  }
});

test.each([
  [["--target", "ws"], "--target ws only supports the search for members: add --search users."],
  [["--p100", "0"], "--p100 must be an integer from 1 to 600000."],
  [["--threshold", "p100<1"], "unknown metric p100. Metrics: users, messagesPerSecond"],
])("rejects %j", async (args, message) => {
  await expect(runCli(["capacity", ...args])).rejects.toMatchObject({
    code: 64,
    message: expect.stringContaining(message),
  });
});
