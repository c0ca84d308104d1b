import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const USERS = ["--users", "5000"];
/** The short run interrupts one command in each way. */
const tagged = (index: number) => ({ tags: index === 0 ? [] : ["long"] });

/** `kill`, or a closed terminal, while the tester has a server, threads, or processes running. */
const INTERRUPTED = [
  [
    "SIGTERM",
    "sending messages",
    ["broadcast", "--users", "20", "--messages", "1000", "--gateway-threads", "0"],
  ],
  ["SIGTERM", "measuring", ["direct", "--rate", "50", "--duration", "60s", "--warmup", "0"]],
  ["SIGTERM", "seconds held", ["connect", "--users", "200", "--hold", "60s"]],
  ["SIGTERM", "sending messages", ["limits", "--targets", "socket.io", "--users", "200"]],
  ["SIGHUP", "registering", ["broadcast", ...USERS]],
] as const;
for (const [index, [signal, progress, args]] of INTERRUPTED.entries())
  test(`${signal} during "${progress}" leaves nothing behind: ${args.join(" ")}`, tagged(index), async () => {
    const outcome = await bench.runAndAct(args, progress, (child) => child.kill(signal));
    expect(outcome.stdout).toMatch(/Interrupted/);
    expect(outcome.code).toBe(105);
    expect(await bench.leftovers()).toEqual([]);
  });

// All commands register users in the same way; these differ in how they start their servers.
const EARLY = [
  ["broadcast", ...USERS, "--gateway-threads", "0"],
  ["direct", "-c", "5000"],
  ["http", ...USERS],
  ["storm", ...USERS],
] as const;
for (const [index, [command, ...args]] of EARLY.entries())
  test(`Ctrl-C before anything is measured: ${command} shows its progress`, tagged(index), async () => {
    const outcome = await bench.runAndAct([command, ...args], "registering", (child) => child.kill("SIGINT"));
    expect(outcome.stdout).toMatch(`bench ${command}`);
    expect(outcome.stdout).toMatch(/Interrupted after [^,]+, in "registering .+ of [\d,]+"/);
    expect(outcome.code).toBe(105);
    expect(outcome.result).toBeUndefined();
    expect(await bench.leftovers()).toEqual([]);
  });
