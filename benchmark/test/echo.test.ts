import { afterEach, beforeEach, expect, test } from "vitest";
import { runCli } from "../src/cli.ts";
import { isNginxInstalled } from "../src/echo/echo-servers.ts";
import type { EchoResult } from "../src/report/result.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

test("each server is measured at each concurrency, in turns", async () => {
  const { code, stdout, ...outcome } = await bench.run(
    "echo",
    "--concurrency",
    "1,20",
    "--duration",
    "100ms",
    "--threshold",
    "failed==0",
  );
  const result = outcome.result as EchoResult;
  expect(code).toBe(0);
  const servers = isNginxInstalled() ? ["fastify", "node", "nginx"] : ["fastify", "node"];
  expect(result.missing).toEqual(isNginxInstalled() ? [] : ["nginx"]);
  expect(result.rows.map(({ server, concurrency }) => [server, concurrency])).toEqual(
    [1, 20].flatMap((concurrency) => servers.map((server) => [server, concurrency])),
  );
  expect(result.rows.every((row) => row.acknowledged > 0 && row.perCpuSecond! > 0)).toBe(true);
  expect(stdout).toMatch("Echo of 14 bytes");
  expect(await bench.leftovers()).toEqual([]);
});

test.each([
  [["--servers", "apache"], "Choices: fastify, node, nginx."],
  [["--concurrency", "1,x"], "--concurrency must be an integer"],
])("wrong usage is reported: %j", async (args, message) => {
  await expect(runCli(["echo", ...args])).rejects.toMatchObject({
    code: 64,
    message: expect.stringContaining(message),
  });
});
