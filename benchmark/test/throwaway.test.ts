import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Where the instance's data folder goes, so that what is left of it can be seen. */
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

function bench(...args: string[]) {
  // A MONGO_URL of the caller's is none of the instance's business.
  const env = { ...process.env, TMPDIR: folder, MONGO_URL: "mongodb://127.0.0.1:1/" };
  return spawn(process.execPath, [MAIN, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
}

test("an instance of its own is started, measured and removed", { tags: "long" }, async () => {
  const child = bench("broadcast", "--users", "30", "--idle", "100", "--burst", "20");
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  expect(await once(child, "close")).toEqual([0, null]);
  expect(stdout).toMatch("Broadcast to 30 users · fanfare, started for this run");
  expect(stdout).toMatch("lost 0 · duplicates 0 · out of order 0");
  expect(stdout).toMatch("69 sent · 69 acknowledged · 69 stored · 2,070 of 2,070 deliveries received");
  expect(stdout).toMatch(/all online, idle +[\d,]+ MiB/);
  expect(await readdir(folder)).toEqual([]);
});

test("Ctrl-C in the middle of the registration leaves nothing behind", async () => {
  const child = bench("broadcast", "--users", "5000");
  // The instance answers from the moment its folder has something in it, a little later.
  while ((await readdir(folder)).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 2000));
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([105, null]);
  expect(await readdir(folder)).toEqual([]);
});
