import type { ChildProcess } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCli } from "../src/cli/commands.ts";
import { startSingleInstance } from "../src/platform/platform.ts";
import type { Result } from "../src/report/result.ts";
import { startFakePlatform } from "./fake-platform.ts";
import { metricValue, metricValues } from "./metric-value.ts";
import { Bench, cannotCluster } from "./run-bench.ts";

/** Starting a cluster takes long on a busy machine. */
const LONG = { timeout: 600_000 };

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const THRESHOLDS = ["online==50", "dropped==0", "lost==0", "unstored==0"];
const SHORT = ["--hold", "1100ms", "--settle", "50ms", "--messages", "2"];

test(
  "connections of several processes are held, their memory is measured, and all receive messages",
  { tags: "long" },
  async () => {
    const { code, stdout, ...outcome } = await bench.run(
      "connect",
      "--users",
      "50",
      "--processes",
      "3",
      ...SHORT,
      ...THRESHOLDS.flatMap((text) => ["--threshold", text]),
    );
    const result = outcome.result as Result;
    expect(stdout).toMatch(
      "lost 0 · duplicates 0 · out of order 0 · corrupted 0 · acknowledged but not persisted 0 · connections dropped 0",
    );
    expect(stdout).toMatch("light receivers in 3 processes");
    expect(code).toBe(0);
    const counts = { online: 50, gaveUp: 0, acknowledged: 2, stored: 2, expected: 100, received: 100 };
    expect(metricValues(result, Object.keys(counts))).toEqual(counts);
    const times = result.series.find(({ label }) => label.startsWith("Each message"))!;
    expect(times.points.map(({ y }) => y! > 0)).toEqual([true, true]);
    expect(metricValue(result, "worstMs")).toBe(Math.max(...times.points.map(({ y }) => y!)));
    const perConnection = result.metrics.filter(({ name }) => name === "rssPerConnectionBytes");
    expect(perConnection.map(({ labels }) => labels["process"])).toEqual([undefined, "instance", "database"]);
    expect(perConnection[0]!.value).toBeGreaterThan(0);
    const held = result.series.find(({ label }) => label.startsWith("Members online"))!;
    expect(held.points.length).toBeGreaterThanOrEqual(1);
    expect(held.points.every(({ y }) => y === 50)).toBe(true);
    expect(await bench.leftovers()).toEqual([]);
  },
);

test.skipIf(cannotCluster)(
  "connections spread over the gateways of a cluster",
  { ...LONG, tags: "long" },
  async () => {
    const outcome = await bench.run("connect", "--users", "30", "--gateways", "2", ...SHORT);
    const result = outcome.result as Result;
    expect(result.meta.subtitle).toContain("fanfare, started for this run: 2 gateways, 1 worker");
    const counts = { online: 30, received: 60, lost: 0 };
    expect(metricValues(result, Object.keys(counts), { gateways: 2 })).toEqual(counts);
    const byKind = { process: "gateway" };
    expect(metricValue(result, "rssPerConnectionBytes", byKind)).toEqual(expect.any(Number));
  },
);

test("users from a file can connect again, and the group is still theirs", { tags: "long" }, async () => {
  const { signal } = new AbortController();
  const platform = await startSingleInstance(signal, 0);
  try {
    const tokens = join(bench.folder, "tokens.txt");
    const { url } = platform.gateways[0]!;
    const made = await bench.run("register", "--users", "12", "--url", url, "--out", tokens);
    expect(made.code).toBe(0);
    const registered = made.result as Result;
    const [written, command] = registered.tables[0]!.rows[0]!;
    expect(written).toBe(tokens);
    const connect = command!.split(" ").slice(2);
    expect(registered.meta.title).toMatch("Register 12 users");
    expect(metricValue(registered, "registrationsPerSecond", { users: 12 })).toBeGreaterThan(0);
    expect((await stat(tokens)).mode & 0o077).toBe(0);
    for (const users of [12, 5]) {
      const outcome = await bench.run(...connect, "--users", String(users), ...SHORT);
      const counts = { online: users, stored: 2, received: 2 * users, lost: 0 };
      expect(metricValues(outcome.result as Result, Object.keys(counts))).toEqual(counts);
    }
  } finally {
    await platform.close();
  }
});

test(
  "Ctrl-C during the hold prints the partial result, and leaves nothing behind",
  { ...LONG, tags: "long" },
  async () => {
    const args = ["connect", "--users", "20", "--hold", "1h", "--settle", "0s"];
    const { code, stdout } = await bench.runProgram(args, "seconds held", (child) => child.kill("SIGINT"));
    expect(code).toBe(105);
    expect(stdout).toMatch("Interrupted: partial result");
    expect(stdout).toMatch("connections dropped 0");
    expect(stdout).toMatch(/^ {2}online +20$/m);
    expect(await bench.leftovers()).toEqual([]);
  },
);

/** The receiving process of a tester. */
async function receiverOf({ pid }: ChildProcess): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ");
  const commands = await Promise.all(children.map((child) => readFile(`/proc/${child}/cmdline`, "utf8")));
  return Number(children[commands.findIndex((command) => command.includes("receivers/worker"))]);
}

const FEW = ["connect", "--users", "5", "--settle", "0s"];

test("2: a receiving process that ends is not taken for connections that are held", async () => {
  const platform = await startFakePlatform();
  const args = [...FEW, "--hold", "4s", "--messages", "0", "--url", platform.url];
  const { code, stderr } = await bench.runProgram(args, "seconds held", async (child) =>
    process.kill(await receiverOf(child), "SIGKILL"),
  );
  await platform.close();
  expect(stderr).toMatch(/A receiving process of the tester exited \(SIGKILL\).* Use more --processes/);
  expect(code).toBe(2);
});

test("a receiving process that stood still is named", async () => {
  /** Unknown before the members are held, and after it was stopped. */
  let receiver: number | undefined;
  const platform = await startFakePlatform((member) => {
    if (member === 0 && receiver !== undefined) {
      const pid = receiver;
      receiver = undefined;
      process.kill(pid, "SIGSTOP");
      setTimeout(() => process.kill(pid, "SIGCONT"), 900);
    }
    return undefined;
  });
  const args = [...FEW, "--hold", "1s", "--url", platform.url];
  const { result } = await bench.runProgram(args, "seconds held", async (child) => {
    receiver = await receiverOf(child);
  });
  await platform.close();
  expect((result as Result).caveats.join("\n")).toMatch(
    /The tester itself stood still for up to [\d,]{3,} ms/,
  );
});

test("members that can't connect fail the run", async () => {
  const platform = await startFakePlatform();
  platform.refuseWith = "TOO_MANY_CONNECTIONS";
  const { code, stderr, result } = await bench.run(...FEW, "--hold", "0s", "--url", platform.url);
  await platform.close();
  expect(stderr).toBe("The run failed: could not connect 5. Use --allow gaveUp if that is expected.\n");
  expect(code).toBe(1);
  expect(metricValue(result as Result, "onlineP99Ms")).toBeUndefined();
});

test.each([
  [["register", "--out", "tokens.txt"], "--out requires --url"],
  [["connect", "--hold", "soon"], "--hold must be a time such as 500ms, 90s, 30m or 2h"],
  [["connect", "--tokens", "/nowhere", "--url", "http://127.0.0.1:9"], "Could not read --tokens /nowhere"],
  [["connect", "--tokens", import.meta.filename], "--tokens belong to a running server: set its --url."],
  [["connect", "--users", "900000", "--gateways", "1", "--processes", "1"], "Use --gateways"],
  [["connect", "--url", "http://127.0.0.1:9", "--gateways", "2"], "omit --url."],
])("wrong usage is reported: %j", async (args, message) => {
  await expect(runCli(args)).rejects.toMatchObject({ code: 64, message: expect.stringContaining(message) });
});
