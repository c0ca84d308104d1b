import { spawn } from "node:child_process";
import { once } from "node:events";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { describeProcess } from "./node-metrics.ts";

const MEBIBYTE = 2 ** 20;
const HOLDS_MEMORY = `const kept = Buffer.alloc(${256 * MEBIBYTE}, 1); console.log("ready"); process.stdin.resume()`;

test.runIf(process.platform === "linux")("the memory of a process includes all its descendants", async () => {
  const registry = new Registry();
  describeProcess(registry, { services: [], engine: null, isReady: () => true });
  const used = async (): Promise<number> =>
    Number(/^fanfare_memory_used_bytes (\d+)$/m.exec(await registry.metrics())?.[1]);
  const before = await used();
  // The shell stays between them.
  const child = spawn("sh", ["-c", '"$@"; true', "sh", process.execPath, "-e", HOLDS_MEMORY]);
  try {
    await once(child.stdout, "data");
    expect((await used()) - before).toBeGreaterThan(200 * MEBIBYTE);
  } finally {
    child.stdin.end();
    await once(child, "close");
  }
  expect((await used()) - before).toBeLessThan(200 * MEBIBYTE);
});
