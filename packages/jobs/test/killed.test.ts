import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { jobsOn, startJobDatabase, type JobDatabase } from "./database.ts";

// Real processes enqueue and run jobs and are killed with SIGKILL at different points.

const KILLS = 12;
/** On a busy machine, starting a process takes seconds. */
const TIMEOUT_MS = 240_000;

let database: JobDatabase;
const workers: Worker[] = [];
beforeAll(async () => {
  database = await startJobDatabase();
});
afterAll(async () => {
  for (const worker of workers) worker.kill();
  await database?.stop();
});

interface Worker {
  acknowledged: string[];
  exited: Promise<unknown>;
  kill(): void;
}

/** Starts a process that enqueues and runs jobs, and kills it after it has printed `killAfter` lines. */
function startWorker(name: string, killAfter: number): Worker {
  const script = fileURLToPath(new URL("killed-worker.ts", import.meta.url));
  const child = spawn(process.execPath, [script, database.uri, name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged: string[] = [];
  let lineCount = 0;
  const lines = createInterface(child.stdout);
  lines.on("line", (line) => {
    if (line.startsWith("enqueued ")) acknowledged.push(line.slice("enqueued ".length));
    if ((lineCount += 1) === killAfter) child.kill("SIGKILL");
  });
  const exited = Promise.all([once(child, "exit"), once(lines, "close")]);
  const worker = { acknowledged, exited, kill: () => child.kill("SIGKILL") };
  workers.push(worker);
  return worker;
}

test(
  "no job is lost by kill -9 at any point, and guarded effects happen once",
  async () => {
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 4) {
      const four = [0, 1, 2, 3].map((i) => startWorker(`${kill + i}`, 1 + (kill + i) * 11));
      await Promise.all(four.map(({ exited }) => exited));
      acknowledged.push(...four.flatMap((worker) => worker.acknowledged));
    }
    expect(acknowledged.length).toBeGreaterThan(KILLS);

    const { connection } = database;
    const last = startWorker("last", Infinity);
    const jobs = connection.collection("jobs");
    const isQuiet = async () => {
      expect(await jobs.countDocuments({ key: { $not: /^last/ }, dueAt: { $exists: true } })).toBe(0);
    };
    await vi.waitFor(isQuiet, { timeout: TIMEOUT_MS / 2, interval: 100 });
    last.kill();
    await last.exited;

    const effects = await connection.collection<{ _id: string; key: string }>("effects").find().toArray();
    const counts = new Map<string, number>();
    for (const { key } of effects) counts.set(key, (counts.get(key) ?? 0) + 1);
    expect(acknowledged.filter((key) => !counts.has(key))).toEqual([]);
    expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
    // Each job adds to its total only once, regardless of which process finishes it.
    const totals = await connection.collection("totals").find().toArray();
    expect(totals.reduce((sum, { total }) => sum + (total as number), 0)).toBe(effects.length);
    expect(await jobsOn(connection).listDead(10)).toEqual([]);
    // Some runs must have been interrupted, or this test proves nothing.
    expect(await connection.collection("runs").countDocuments()).toBeGreaterThan(effects.length);
  },
  TIMEOUT_MS,
);
