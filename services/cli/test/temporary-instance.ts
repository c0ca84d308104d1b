import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { loadConfig, type Config } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "fanfare-cli-"));

const environment = (dataDir: string): Record<string, string> => ({
  NODE_ENV: "test",
  LOG_LEVEL: "error",
  DATA_DIR: dataDir,
  HOST: "127.0.0.1",
  PORT: "0",
  OPS_PORT: "0",
  RATE_LIMIT_FACTOR: "1000",
  GATEWAY_THREADS: "0",
});

export const configOf = (dataDir: string): Config => loadConfig(environment(dataDir));

/** Runs an instance on the folder as long as `work` takes. */
export async function whileRunning<T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> {
  const fanfare = await startFanfare(configOf(dataDir));
  try {
    return await work(fanfare.url);
  } finally {
    await fanfare.stop();
  }
}

/** Starts the program as an operator does. */
export function spawnFanfare(dataDir: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const env = { PATH: process.env["PATH"], ...environment(dataDir) };
  return spawn(process.execPath, [MAIN, ...args], { env, stdio: "pipe" });
}

/** Runs the program to its end. */
export async function fanfare(
  dataDir: string,
  args: readonly string[],
  input = "",
  encoding: BufferEncoding = "utf8",
): Promise<{ code: number | null; out: string; error: string }> {
  const child = spawnFanfare(dataDir, args);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, error, code] = await Promise.all([buffer(child.stdout), text(child.stderr), ended]);
  return { code, out: out.toString(encoding), error };
}
