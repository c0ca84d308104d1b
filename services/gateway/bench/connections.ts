import { fork, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { connectReady } from "./light-client.ts";

// Measures how fast sockets connect and what an idle one costs, compared to a bare Socket.IO server in the same run:
//   node services/gateway/bench/connections.ts --users 3000

interface Memory {
  rss: number;
  heapUsed: number;
  cpuMs: number;
}

interface Result {
  perSecond: number;
  cpuUs: number;
  rssKiB: number;
  heapKiB: number;
}

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "3000" },
    concurrency: { type: "string", default: "100" },
    platform: { type: "string", default: fileURLToPath(new URL("../../node/src/main.ts", import.meta.url)) },
  },
});
const users = Number(values.users);
const concurrency = Number(values.concurrency);
const BARE = fileURLToPath(new URL("./bare-server.ts", import.meta.url));
const PROBE = fileURLToPath(new URL("./memory-probe.ts", import.meta.url));
const PORT = 21_700 + Math.floor(Math.random() * 1000) * 2;
/** The same for all starts, so that tokens issued by the first are valid for the others. */
const TOKEN_SECRET = randomBytes(32).toString("hex");
const WARM_UP = 200;
const SETTLE_MS = 3000;

async function start(program: string, dataDir: string): Promise<ChildProcess> {
  const child = fork(program, {
    execArgv: [...process.execArgv, "--expose-gc", "--import", PROBE],
    env: {
      ...process.env,
      NODE_ENV: "production",
      TOKEN_SECRET,
      DATA_DIR: dataDir,
      PORT: String(PORT),
      OPS_PORT: String(PORT + 1),
      RATE_LIMIT_FACTOR: "1000",
      GUESTS: "on",
      MAX_CONNECTIONS_PER_ADDRESS: "1000000",
    },
  });
  for (;;) {
    const answered = await fetch(`http://127.0.0.1:${PORT}/socket.io/`).catch(() => undefined);
    if (answered !== undefined) return child;
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
    await delay(50);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

async function memory(child: ChildProcess): Promise<Memory> {
  const answer = once(child, "message");
  child.send("memory");
  return (await answer)[0] as Memory;
}

async function inParallel<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}

async function createGuest(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${PORT}/api/user.createGuest`, { method: "POST" });
  const answer = (await response.json()) as { data: { accessToken: string } };
  return answer.data.accessToken;
}

async function measure(program: string, dataDir: string, tokens: readonly string[]): Promise<Result> {
  const child = await start(program, dataDir);
  const open = (index: number): Promise<Socket> =>
    connectReady(PORT, tokens[index] ?? "", `127.0.0.${2 + (index % 8)}`);
  // The first connections include JIT compilation and one-time allocations.
  const warm = await inParallel(WARM_UP, open);
  await delay(1000);
  const before = await memory(child);
  const startedMs = performance.now();
  const sockets = await inParallel(users, (index) => open(WARM_UP + index));
  const seconds = (performance.now() - startedMs) / 1000;
  await delay(SETTLE_MS);
  const after = await memory(child);
  for (const socket of [...warm, ...sockets]) socket.destroy();
  await stop(child);
  return {
    perSecond: users / seconds,
    cpuUs: ((after.cpuMs - before.cpuMs) * 1000) / users,
    rssKiB: (after.rss - before.rss) / users / 1024,
    heapKiB: (after.heapUsed - before.heapUsed) / users / 1024,
  };
}

const dataDir = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
try {
  const registrar = await start(values.platform, dataDir);
  const tokens = await inParallel(WARM_UP + users, createGuest);
  await stop(registrar);
  for (const [name, program] of [
    ["bare Socket.IO", BARE],
    ["gateway", values.platform],
  ] as const) {
    const { perSecond, cpuUs, rssKiB, heapKiB } = await measure(program, dataDir, tokens);
    console.log(
      `${name.padEnd(16)} ${perSecond.toFixed(0)} connected and ready per second, ${cpuUs.toFixed(0)} µs of CPU each; ` +
        `per idle connection ${rssKiB.toFixed(1)} KiB of memory, ${heapKiB.toFixed(1)} KiB of live heap`,
    );
  }
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();
