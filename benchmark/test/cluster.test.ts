import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../src/cli/commands.ts";
import { serversOf } from "../src/report/metric.ts";
import type { Result } from "../src/report/result.ts";
import { metricValue, metricValues } from "./metric-value.ts";
import { Bench, cannotCluster } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

/** A cluster is some ten processes that start. */
const LONG = { timeout: 600_000 };
const SMALL = ["--users", "60", "--probes", "4", "--idle", "100ms", "--interval", "20ms", "--messages", "3"];

describe.skipIf(cannotCluster)("a cluster of its own", () => {
  test(
    "gateways are compared: each broadcast reaches each gateway with members once, and the others not at all",
    { ...LONG, tags: "long" },
    async () => {
      const { code, stdout, ...outcome } = await bench.run(
        "cluster",
        ...SMALL,
        "--gateways",
        "1,2",
        "--passes",
        "1",
        "--burst",
        "5",
        "--threshold",
        "lost==0",
        "--threshold",
        "natsPerMessage[server=2 gateways]==2",
        "--threshold",
        "natsToIdleGateways==0",
      );
      const result = outcome.result as Result;
      expect(stdout).toMatch("the same 60 members everywhere");
      expect(stdout).toMatch(/NATS messages to gateways without members +– +– +0 +0$/m);
      expect(code).toBe(0);
      const servers = serversOf(result.metrics.filter(({ name }) => name === "lost"));
      expect(servers).toEqual(["socket.io", "single instance", "1 gateway", "2 gateways"]);
      const perMessage = servers.map((server) => metricValue(result, "natsPerMessage", { server }));
      expect(perMessage).toEqual([undefined, undefined, 1, 2]);
      for (const server of servers)
        expect(metricValues(result, ["lost", "acknowledged", "received"], { server })).toEqual({
          lost: 0,
          acknowledged: 12,
          received: 720,
        });
      expect(await bench.leftovers()).toEqual([]);
    },
  );

  test("a broadcast to a cluster", { ...LONG, tags: "long" }, async () => {
    const { code, stdout, ...outcome } = await bench.run("broadcast", ...SMALL, "--gateways", "2");
    expect(code).toBe(0);
    expect(stdout).toMatch("lost 0 · duplicates 0 · out of order 0");
    expect(metricValues(outcome.result as Result, ["expected", "received"])).toEqual({
      expected: 420,
      received: 420,
    });
    expect(await bench.leftovers()).toEqual([]);
  });

  test("Ctrl-C leaves no process behind", { ...LONG, tags: "long" }, async () => {
    const args = ["storm", "--users", "40", "--sdk", "2", "--senders", "1", "--steady", "60s"];
    let running: string[] = [];
    const { code } = await bench.runProgram(args, "storm: phases", async (child) => {
      running = await bench.leftovers();
      child.kill("SIGINT");
    });
    expect(running.length).toBeGreaterThan(5);
    expect(code).toBe(105);
    expect(await bench.leftovers()).toEqual([]);
  });
});

test.each([
  [["cluster", "--gateways", "1,x"], "--gateways must be an integer"],
  [["cluster", "--threshold", "worstAt3<1"], "unknown metric worstAt3"],
  [["broadcast", "--gateways", "2", "--target", "ws"], "omit --url and --target"],
  [["storm", "--faults", "flood"], "Choices: rolling, kill, all."],
  [["storm", "--users", "20"], "--users must be an integer from 21"],
  [["overload", "--factor", "0"], "--factor must be above 0"],
])("wrong usage is reported: %j", async (args, message) => {
  await expect(runCli(args)).rejects.toMatchObject({ code: 64, message: expect.stringContaining(message) });
});
