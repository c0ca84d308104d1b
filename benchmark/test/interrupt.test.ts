import { afterEach, beforeEach, expect, test } from "vitest";
import type { Result } from "../src/report/result.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const USERS = ["--users", "5000"];
/** The short run interrupts one command in each way. */
const tagged = (index: number) => ({ tags: index === 0 ? [] : ["long"] });

/** While the tester has a server and threads running. The other commands have such a test beside what they measure. */
const INTERRUPTED = [
  ["sending messages", ["broadcast", "--users", "20", "--messages", "1000", "--target", "fanfare:0"]],
  ["measuring", ["direct", "--rate", "50", "--duration", "60s", "--warmup", "0"]],
  ["sending messages", ["limits", "--targets", "socket.io", "--users", "50"]],
] as const;
for (const [index, [progress, args]] of INTERRUPTED.entries())
  test(`\`kill\` during "${progress}" leaves nothing behind: ${args.join(" ")}`, tagged(index), async () => {
    const { code, stdout, result } = await bench.runProgram(args, progress, (child) => child.kill("SIGTERM"));
    expect(stdout).toMatch("Interrupted: partial result");
    expect(code).toBe(105);
    const { meta, metrics } = result as Result;
    expect(meta.interrupted).toBe(true);
    // Nothing was read back.
    const stored = metrics.filter(({ name, value }) => /stored/.test(name) && value !== null);
    expect(stored).toEqual([]);
    expect(await bench.leftovers()).toEqual([]);
  });

const GROUPS = [
  ["sending messages", ["limits", "--targets", "socket.io", "--users", "5"]],
  ["sending messages", ["broadcast", "--users", "5", "--messages", "1000", "--target", "fanfare:0"]],
  ["seconds held", ["connect", "--users", "5", "--hold", "1h", "--settle", "0s"]],
] as const;
for (const [index, [progress, args]] of GROUPS.entries())
  test(
    `a signal of the terminal is not taken for the server's fault: ${args.join(" ")}`,
    tagged(index),
    async () => {
      const { code, stdout, stderr } = await bench.runProgram(args, progress, ({ pid }) =>
        process.kill(-pid!, "SIGTERM"),
      );
      expect(stderr).not.toMatch("The run failed");
      expect(stdout).toMatch("connections dropped 0");
      expect(code).toBe(105);
      expect(await bench.leftovers()).toEqual([]);
    },
  );

const EARLY = [
  ["SIGHUP", "broadcast", ...USERS, "--target", "fanfare:0"],
  ["SIGINT", "storm", ...USERS, "--gateways", "0"],
  ["SIGINT", "direct", "-c", "5000"],
  ["SIGINT", "http", ...USERS],
] as const;
for (const [index, [signal, command, ...args]] of EARLY.entries())
  test(`${signal} before anything is measured: ${command} shows its progress`, tagged(index), async () => {
    const interrupt = (child: { kill(name: NodeJS.Signals): unknown }) => child.kill(signal);
    const outcome = await bench.runProgram([command, ...args], "registering", interrupt);
    expect(outcome.stderr).toMatch(/\nInterrupted in "registering .+ of [\d,]+": cleaning up\./);
    expect(outcome.stdout).toMatch(`bench ${command}`);
    expect(outcome.stdout).toMatch(/Interrupted after [^,]+, in "registering .+ of [\d,]+"/);
    expect(outcome.code).toBe(105);
    expect(outcome.result).toBeUndefined();
    expect(await bench.leftovers()).toEqual([]);
  });
