import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { strictErrors } from "./strict-schema.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Whether to skip tests that need a cluster: never with REQUIRE_ALL_TESTS=1. */
export const cannotCluster =
  process.env["REQUIRE_ALL_TESTS"] !== "1" &&
  ["nats-server", "redis-server"].some((program) => {
    const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` };
    return spawnSync(program, ["--version"], { env }).error !== undefined;
  });

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
  /** What --json wrote; undefined if nothing. */
  result: unknown;
}

/** The tester with its own folder, which contains everything that it starts. */
export class Bench {
  readonly folder: string;
  /** More variables of its environment. */
  readonly env: Record<string, string> = {};

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<Bench> {
    return new Bench(await mkdtemp(join(tmpdir(), "bench-test-")));
  }

  start(...args: string[]): ChildProcess {
    // The caller's MONGO_URL must not reach the servers.
    const env = { ...process.env, TMPDIR: this.folder, MONGO_URL: "mongodb://127.0.0.1:1/", ...this.env };
    return spawn(process.execPath, [MAIN, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  }

  /** Runs a command; the result is validated against the published schema. */
  run(...args: string[]): Promise<Outcome> {
    return this.#run(args, () => {});
  }

  /** The same, and acts once as soon as progress shows this text. */
  runAndAct(
    args: readonly string[],
    progress: string,
    act: (child: ChildProcess) => unknown,
  ): Promise<Outcome> {
    return this.#run([...args, "--progress"], (child) => {
      let hasActed = false;
      child.stderr!.on("data", (chunk: Buffer) => {
        if (hasActed || !chunk.includes(progress)) return;
        hasActed = true;
        act(child);
      });
    });
  }

  async #run(args: readonly string[], watch: (child: ChildProcess) => void): Promise<Outcome> {
    const json = join(this.folder, "result.json");
    const child = this.start(...args, "--json", json);
    const [stdout, stderr] = [collect(child.stdout!), collect(child.stderr!)];
    watch(child);
    const [code] = (await once(child, "close")) as [number];
    const text = await readFile(json, "utf8").catch(() => "");
    await rm(json, { force: true });
    if (text === "") return { code, stdout: stdout(), stderr: stderr(), result: undefined };
    const result: unknown = JSON.parse(text);
    const errors = strictErrors(result);
    if (errors.length > 0) throw new Error(`--json breaks its schema: ${JSON.stringify(errors)}`);
    return { code, stdout: stdout(), stderr: stderr(), result };
  }

  /** Runs a command that is no measurement. */
  async runPlain(...args: string[]): Promise<Omit<Outcome, "result">> {
    const child = this.start(...args);
    const [stdout, stderr] = [collect(child.stdout!), collect(child.stderr!)];
    const [code] = (await once(child, "close")) as [number];
    return { code, stdout: stdout(), stderr: stderr() };
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
    return rm(this.folder, { recursive: true });
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}
