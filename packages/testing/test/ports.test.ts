import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const ROOT = new URL("../../../", import.meta.url).href;
const CALLS = 200;

/** Prints the ports that the expression returns in many calls, and keeps running. */
const program = (module: string, ports: string) => `
  import * as its from ${JSON.stringify(ROOT + module)};
  const ports = [];
  for (let calls = 0; calls < ${CALLS}; calls++) ports.push(...${ports});
  process.stdout.write(JSON.stringify(ports));
  process.stdin.resume();
`;
const TESTING = program(
  "packages/testing/src/ports.ts",
  "[await its.freePort(), await its.freeUdpPort(), ...(await its.freePort(1, 100).then((port) => [port, port + 1, port + 100]))]",
);
// It is published without @fanfare/testing, so it has a function of its own.
const BENCHMARK = program(
  "benchmark/src/platform/programs.ts",
  "[await its.freePort(), await its.freePort()]",
);

test("two processes never get the same port", async () => {
  const processes = [TESTING, TESTING, BENCHMARK, BENCHMARK].map((text) =>
    spawn(process.execPath, ["--input-type=module", "-e", text], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const ports = await Promise.all(
    processes.map(async ({ stdout }) => JSON.parse(String((await once(stdout, "data"))[0])) as number[]),
  );
  for (const { stdin } of processes) stdin.end();
  expect(ports.map(({ length }) => length)).toEqual([5 * CALLS, 5 * CALLS, 2 * CALLS, 2 * CALLS]);
  expect(new Set(ports.flat()).size).toBe(14 * CALLS);
});
