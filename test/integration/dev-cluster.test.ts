import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createGuest, isInstalled, must } from "@fanfare/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/dev-cluster.ts", import.meta.url));
const PORT = 20_000 + (process.pid % 1000) * 10;

interface Run {
  child: ChildProcess;
  printed: string;
  exited: Promise<number | null>;
}

let folder: string;
const runs: Run[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-dev-cluster-"));
});
afterAll(async () => {
  for (const { child, exited } of runs) {
    child.kill("SIGKILL");
    await exited;
  }
  await rm(folder, { recursive: true, force: true });
});

function run(...args: string[]): Run {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    env: { PATH: process.env["PATH"], PORT: String(PORT), DATA_DIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "close").then(([code]) => code as number | null);
  const started: Run = { child, printed: "", exited };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (started.printed += chunk.toString()));
  }
  runs.push(started);
  return started;
}

async function prints(started: Run, text: string): Promise<void> {
  while (!started.printed.includes(text)) {
    if (started.child.exitCode !== null) throw new Error(`It has ended and printed:\n${started.printed}`);
    await delay(20);
  }
}

async function stop(started: Run): Promise<void> {
  const pids = [...started.printed.matchAll(/(?:gateway|worker)-\d (\d+)|(?:nats|redis|database) (\d+)/g)];
  started.child.kill("SIGINT");
  expect(await started.exited).toBe(0);
  expect(pids.length).toBeGreaterThanOrEqual(5);
  for (const [, ofNode, ofServer] of pids) {
    expect(() => process.kill(Number(ofNode ?? ofServer), 0)).toThrow("ESRCH");
  }
}

describe.skipIf(!isInstalled("nats-server") || !isInstalled("redis-server"))("pnpm dev:cluster", () => {
  test("starts, brings back what dies, stops all of it, and keeps its data", async () => {
    const first = run("--gateways", "2", "--workers", "1");
    await prints(first, "Ctrl-C");
    const urls = [...first.printed.matchAll(/Gateway \d {2}(\S+)/g)].map((found) => found[1]!);
    expect(urls).toHaveLength(2);
    const { accessToken } = await createGuest(urls[0]!);
    await must(urls[1]!, "user.me", {}, accessToken);

    process.kill(Number(/worker-1 (\d+)/.exec(first.printed)![1]), "SIGKILL");
    await prints(first, "worker-1 has ended (SIGKILL) and is started again.");
    await prints(first, "worker-1 is back as process ");
    await must(urls[1]!, "user.me", {}, accessToken);
    await stop(first);

    const second = run("--gateways", "1", "--workers", "1");
    await prints(second, "Ctrl-C");
    await must(urls[0]!, "user.me", {}, accessToken);
    await stop(second);
  });
});

test("says how it is used", async () => {
  const wrong = run("--gateways", "none");
  expect(await wrong.exited).toBe(1);
  expect(wrong.printed).toContain("usage: pnpm dev:cluster [--gateways 2] [--workers 2]");
});
