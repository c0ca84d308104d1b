import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { runCli } from "../src/cli/commands.ts";
import { withExitCode } from "../src/cli/exit.ts";
import { isInstalled } from "../src/platform/programs.ts";
import { strictErrors } from "./strict-schema.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Whether to skip tests that need a cluster: never with REQUIRE_ALL_TESTS=1. */
export const cannotCluster =
  process.env["REQUIRE_ALL_TESTS"] !== "1" &&
  ["nats-server", "redis-server"].some((program) => !isInstalled(program));

interface Output {
  code: number;
  stdout: string;
  stderr: string;
}

interface Outcome extends Output {
  /** What --json wrote; undefined if nothing. */
  result: unknown;
}

/** The tester with its own folder, which contains everything that it starts. */
export class Bench {
  readonly folder: string;
  /** More variables of its environment. */
  readonly env: Record<string, string> = {};
  /** Undoes what a run in this process has changed for it. */
  #restore = (): void => {};

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<Bench> {
    return new Bench(await mkdtemp(join(tmpdir(), "bench-test-")));
  }

  /** Runs a command in this process; the result is validated against the published schema. */
  async run(...args: string[]): Promise<Outcome> {
    const quiet = args.includes("--progress") ? [] : ["--no-progress"];
    return this.#withResult((...json) => this.runPlain(...args, ...quiet, ...json));
  }

  /** Runs a command that is no measurement. */
  async runPlain(...args: string[]): Promise<Output> {
    const environment = Object.entries(this.#environment());
    const before = environment.map(([name]) => [name, process.env[name]] as const);
    const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
    this.#restore = () => {
      process.exitCode = undefined;
      setEnvironment(before);
      stdout.end();
      stderr.end();
      this.#restore = () => {};
    };
    setEnvironment(environment);
    process.exitCode = undefined;
    try {
      await withExitCode(() => runCli(args));
      return { code: exitCode(), stdout: stdout.text(), stderr: stderr.text() };
    } finally {
      this.#restore();
    }
  }

  /** The same as a program of its own, which can be interrupted as soon as its progress shows a text. */
  runProgram(
    args: readonly string[],
    progress: string | RegExp = "",
    act: (child: ChildProcess) => unknown = () => {},
  ): Promise<Outcome> {
    return this.#withResult(async (...json) => {
      const env = { ...process.env, ...this.#environment() };
      const all = [MAIN, ...args, ...json, ...(progress === "" ? [] : ["--progress"])];
      const child = spawn(process.execPath, all, {
        env,
        // As in a terminal, the tester leads its process group.
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
      let hasActed = progress === "";
      child.stderr.on("data", () => {
        if (hasActed || stderr().match(progress) === null) return;
        hasActed = true;
        act(child);
      });
      const [code] = (await once(child, "close")) as [number];
      return { code, stdout: stdout(), stderr: stderr() };
    });
  }

  #environment(): Record<string, string> {
    // The caller's MONGO_URL must not reach the servers.
    return { TMPDIR: this.folder, MONGO_URL: "mongodb://127.0.0.1:1/", ...this.env };
  }

  async #withResult(run: (...json: string[]) => Promise<Output>): Promise<Outcome> {
    const json = join(this.folder, "result.json");
    const output = await run("--json", json);
    const text = await readFile(json, "utf8").catch(() => "");
    await rm(json, { force: true });
    if (text === "") return { ...output, result: undefined };
    const result: unknown = JSON.parse(text);
    const errors = strictErrors(result);
    if (errors.length > 0) throw new Error(`--json breaks its schema: ${JSON.stringify(errors)}`);
    return { ...output, result };
  }

  /** What is left of the servers: their folders, and processes using one. */
  async leftovers(): Promise<string[]> {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    const running = await Promise.all(
      pids.map(async (pid) => {
        const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
        return environment.includes(this.folder) ? [`process ${pid}`] : [];
      }),
    );
    return [...(await readdir(this.folder)), ...running.flat()];
  }

  close(): Promise<void> {
    // After a timeout the run goes on.
    this.#restore();
    return rm(this.folder, { recursive: true });
  }
}

/** Set by the command meanwhile. */
const exitCode = (): number => Number(process.exitCode ?? 0);

function setEnvironment(variables: Iterable<readonly [string, string | undefined]>): void {
  for (const [name, value] of variables) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/** What is written to a stream until the end, instead of showing it. */
function capture(stream: NodeJS.WriteStream) {
  let text = "";
  const write = vi.spyOn(stream, "write").mockImplementation((chunk) => {
    text += chunk.toString();
    return true;
  });
  return { text: () => text, end: () => write.mockRestore() };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}
