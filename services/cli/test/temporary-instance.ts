import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { loadConfig, type Config } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";
import { must } from "@fanfare/testing";
import { vi } from "vitest";
import { instanceEnvironment } from "../../../test/support/instance.ts";
import { copyNewDatabase } from "../../../test/support/new-database.ts";
import { runCli } from "../src/cli.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "fanfare-cli-"));

type Environment = Record<string, string>;

export const configOf = (dataDir: string, env: Environment = {}): Config =>
  loadConfig({ ...instanceEnvironment(dataDir), ...env });

/** Runs an instance on the folder during `work`. */
export async function whileRunning<T>(
  dataDir: string,
  work: (url: string) => Promise<T>,
  env?: Environment,
): Promise<T> {
  copyNewDatabase(join(dataDir, "db"));
  const fanfare = await startFanfare(configOf(dataDir, env));
  try {
    return await work(fanfare.url);
  } finally {
    await fanfare.stop();
  }
}

export const password = "correct horse";

/** Makes the data of an instance with these accounts. The first one is the admin. */
export const makeInstance = (dataDir: string, ...usernames: readonly string[]): Promise<void> =>
  whileRunning(dataDir, async (url) => {
    for (const username of usernames) await must(url, "user.register", { username, password });
  });

interface Outcome {
  code: number | null;
  out: string;
  error: string;
}

/** Starts the program like an operator does. @param through a command that runs it */
export function spawnFanfare(
  dataDir: string,
  args: readonly string[],
  more: Environment = {},
  through: readonly string[] = [],
): ChildProcessWithoutNullStreams {
  const env = { PATH: process.env["PATH"], ...instanceEnvironment(dataDir), ...more };
  const [program, ...rest] = [...through, process.execPath, MAIN, ...args];
  return spawn(program!, rest, { env, stdio: "pipe" });
}

/** Runs the program to its end, with the given standard input. */
export async function fanfareProcess(
  dataDir: string,
  args: readonly string[],
  input = "",
  encoding: BufferEncoding = "utf8",
): Promise<Outcome> {
  const child = spawnFanfare(dataDir, args);
  child.stdin.end(input);
  return outcomeOf(child, encoding);
}

export async function outcomeOf(
  child: ChildProcessWithoutNullStreams,
  encoding: BufferEncoding = "utf8",
): Promise<Outcome> {
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, error, code] = await Promise.all([buffer(child.stdout), text(child.stderr), ended]);
  return { code, out: out.toString(encoding), error };
}

/** Runs a command in this process, which is faster than starting one. Not concurrently. */
export async function fanfare(
  dataDir: string,
  args: readonly string[],
  more: Environment = {},
): Promise<Outcome> {
  const { env, exitCode } = process;
  const kept = { PATH: env["PATH"], NODE_COMPILE_CACHE: env["NODE_COMPILE_CACHE"] };
  const outcome = { out: "", error: "" };
  const keep = (method: "log" | "error", name: keyof typeof outcome) =>
    vi.spyOn(console, method).mockImplementation((text) => {
      outcome[name] += `${String(text)}\n`;
    });
  const spies = [keep("log", "out"), keep("error", "error")];
  try {
    process.env = { ...kept, ...instanceEnvironment(dataDir), ...more };
    process.exitCode = undefined;
    await runCli(args);
    return { code: exitCodeNow(), ...outcome };
  } finally {
    process.env = env;
    process.exitCode = exitCode;
    for (const spy of spies) spy.mockRestore();
  }
}

const exitCodeNow = (): number => Number(process.exitCode ?? 0);
