import { MongoClient } from "mongodb";
import { spawnServer, type ServerProcess } from "../test/spawn-server.ts";

/** Runs `work(i)` for each i below count with a concurrency of `width`. @returns operations per second */
export async function throughput(
  count: number,
  width: number,
  work: (i: number) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await work(next++);
    }),
  );
  return (count / (performance.now() - started)) * 1000;
}

/** Restarts a server on the same folder and connects. */
export async function restart(
  { server, client }: { server: ServerProcess; client: MongoClient },
  dir: string,
  how: "killed" | "stopped",
): Promise<{ server: ServerProcess; client: MongoClient; seconds: number }> {
  await client.close();
  await (how === "killed" ? server.kill() : server.stop());
  const started = performance.now();
  const next = await spawnServer(dir);
  const connected = await new MongoClient(next.uri).connect();
  await connected.db("bench").collection("messages").estimatedDocumentCount();
  return { server: next, client: connected, seconds: (performance.now() - started) / 1000 };
}

/** The durations of `count` sequential runs in milliseconds. */
export async function latencies(count: number, work: (i: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await work(i);
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b);
}

export const percentile = (sorted: readonly number[], p: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * p) / 100))]!;
