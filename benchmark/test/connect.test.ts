import { once } from "node:events";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCli } from "../src/cli.ts";
import { startSingleInstance } from "../src/platform/single-instance.ts";
import type { ConnectResult, RegisterResult } from "../src/report/result.ts";
import { Bench, cannotCluster } from "./run-bench.ts";

/** Starting a cluster takes long on a busy machine. */
const LONG = { timeout: 150_000 };

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const THRESHOLDS = ["online==50", "dropped==0", "lost==0", "unstored==0"];
const SHORT = ["--hold", "1100ms", "--settle", "50ms", "--messages", "2"];

test("connections of several processes are held, their memory is measured, and all receive messages", async () => {
  const { code, stdout, ...outcome } = await bench.run(
    "connect",
    "--users",
    "50",
    "--processes",
    "3",
    ...SHORT,
    ...THRESHOLDS.flatMap((text) => ["--threshold", text]),
  );
  const result = outcome.result as ConnectResult;
  expect(stdout).toMatch("50 of 50 online · dropped 0 · lost 0 · duplicates 0 · out of order 0");
  expect(stdout).toMatch("light receivers in 3 processes");
  expect(code).toBe(0);
  expect(result.counts).toMatchObject({
    acknowledged: 2,
    stored: 2,
    expected: 100,
    received: 100,
    corrupted: 0,
  });
  expect(result.messages.map(({ p100Ms }) => p100Ms! > 0)).toEqual([true, true]);
  expect(result.bytesPerConnection?.server).toBeGreaterThan(0);
  expect(Object.keys(result.bytesPerConnection!.serverByKind!)).toEqual(["instance", "database"]);
  expect(result.hold!.samples.length).toBeGreaterThanOrEqual(2);
  expect(result.hold!.samples.every(({ online }) => online === 50)).toBe(true);
  expect(await bench.leftovers()).toEqual([]);
});

test.skipIf(cannotCluster)(
  "connections spread over the gateways of a cluster",
  { ...LONG, tags: "long" },
  async () => {
    const outcome = await bench.run("connect", "--users", "30", "--gateways", "2", ...SHORT);
    const result = outcome.result as ConnectResult;
    expect(result).toMatchObject({ gateways: 2, workers: 1, counts: { online: 30, received: 60, lost: 0 } });
    expect(Object.keys(result.bytesPerConnection!.serverByKind!)).toContain("gateway");
  },
);

test("users from a file can connect again, and the group is still theirs", { tags: "long" }, async () => {
  const { signal } = new AbortController();
  const platform = await startSingleInstance(signal, 0);
  try {
    const tokens = join(bench.folder, "tokens.json");
    const { url } = platform.gateways[0]!;
    const made = await bench.run("register", "--users", "12", "--url", url, "--out", tokens);
    expect(made.code).toBe(0);
    expect(made.result as RegisterResult).toMatchObject({ file: tokens, registration: { users: 12 } });
    expect((await stat(tokens)).mode & 0o077).toBe(0);
    for (const users of [12, 5]) {
      const outcome = await bench.run("connect", "--tokens", tokens, "--users", String(users), ...SHORT);
      const result = outcome.result as ConnectResult;
      expect(result.counts).toMatchObject({ online: users, stored: 2, received: 2 * users, lost: 0 });
    }
  } finally {
    await platform.close();
  }
});

test(
  "Ctrl-C during the hold prints the partial result, and leaves nothing behind",
  { ...LONG, tags: "long" },
  async () => {
    const child = bench.start("connect", "--users", "20", "--hold", "1h", "--settle", "0s", "--progress");
    let stdout = "";
    child.stdout!.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    await new Promise<void>((resolve) => {
      child.stderr!.on("data", (chunk: Buffer) => chunk.includes("seconds held") && resolve());
    });
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([105, null]);
    expect(stdout).toMatch("Interrupted: partial result.");
    expect(stdout).toMatch("20 of 20 online · dropped 0");
    expect(await bench.leftovers()).toEqual([]);
  },
);

test.each([
  [["register", "--out", "tokens.json"], "--out requires --url"],
  [["connect", "--hold", "soon"], "--hold must be a time such as 500ms, 90s, 30m or 2h"],
  [["connect", "--tokens", "/nowhere"], "Could not read --tokens /nowhere"],
  [["connect", "--tokens", import.meta.filename], "was not written by bench register"],
  [["connect", "--users", "900000", "--gateways", "1", "--processes", "1"], "Use --gateways"],
  [["connect", "--url", "http://127.0.0.1:9", "--gateways", "2"], "omit --url and --tokens"],
])("wrong usage is reported: %j", async (args, message) => {
  await expect(runCli(args)).rejects.toMatchObject({ code: 64, message: expect.stringContaining(message) });
});
