import { afterEach, beforeEach, expect, test } from "vitest";
import { runCli } from "../src/cli/commands.ts";
import { isInstalled } from "../src/platform/programs.ts";
import type { Result } from "../src/report/result.ts";
import { metricValues } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

test("each server is measured at each concurrency, in turns", async () => {
  const { code, stdout, ...outcome } = await bench.run(
    "echo",
    "--connections",
    "1,20",
    "--duration",
    "100ms",
    "--threshold",
    "refused==0",
  );
  const result = outcome.result as Result;
  expect(code).toBe(0);
  const servers = isInstalled("nginx") ? ["fastify", "nginx"] : ["fastify"];
  const missing = result.caveats.filter((text) => text.includes("is not installed"));
  expect(missing).toEqual(isInstalled("nginx") ? [] : ["nginx is not installed and not in the table."]);
  const rates = result.metrics.filter(({ name }) => name === "requestsPerSecond");
  expect(rates.map(({ labels }) => labels)).toEqual(
    [1, 20].flatMap((connections) => servers.map((server) => ({ connections, server }))),
  );
  for (const { labels } of rates) {
    const { requestsPerSecond, requestsPerCpuSecond } = metricValues(
      result,
      ["requestsPerSecond", "requestsPerCpuSecond"],
      labels,
    );
    expect(requestsPerSecond).toBeGreaterThan(0);
    expect(requestsPerCpuSecond).toBeGreaterThan(0);
  }
  expect(stdout).toMatch("Echo of 14 bytes");
  expect(await bench.leftovers()).toEqual([]);
});

test.each([[["--connections", "1,x"], "--connections must be an integer"]])(
  "wrong usage is reported: %j",
  async (args, message) => {
    await expect(runCli(["echo", ...args])).rejects.toMatchObject({
      code: 64,
      message: expect.stringContaining(message),
    });
  },
);
