import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { loadConfig, type Config } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";
import { must } from "@fanfare/testing";
import { vi } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../../test/support/database.ts";
import { instanceEnvironment } from "../../../test/support/instance.ts";
import { copyNewDatabase } from "../../../test/support/new-database.ts";
import { runCli } from "../src/cli.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "fanfare-cli-"));

type Environment = Record<string, string>;

/** By data folder. */
const openDatabases = new Map<string, OwnDatabase>();

const environmentOf = (dataDir: string): Environment => {
  const open = openDatabases.get(dataDir);
  return { ...instanceEnvironment(dataDir), ...(open && { MONGO_URL: open.url }) };
};

export const configOf = (dataDir: string, env: Environment = {}): Config =>
  loadConfig({ ...environmentOf(dataDir), ...env });

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

/**
 * Makes an instance whose database stays open in this process until `removeInstances`: commands and instances use it
 * by MONGO_URL, which saves each of them a process. Not for tests of the data folder or of an upgrade.
 */
export async function makeOpenInstance(dataDir: string, ...usernames: readonly string[]): Promise<void> {
  copyNewDatabase(join(dataDir, "db"));
  openDatabases.set(dataDir, await startOwnDatabase(dataDir));
  if (usernames.length > 0) await makeInstance(dataDir, ...usernames);
}

/** Removes a folder with all that `makeOpenInstance` made in it. */
export async function removeInstances(folder: string): Promise<void> {
  for (const [dataDir, database] of openDatabases) {
    if (!dataDir.startsWith(folder)) continue;
    openDatabases.delete(dataDir);
    await database.close();
  }
  await rm(folder, { recursive: true, force: true });
}

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
  const env = { PATH: process.env["PATH"], ...environmentOf(dataDir), ...more };
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
    process.env = { ...kept, ...environmentOf(dataDir), ...more };
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
