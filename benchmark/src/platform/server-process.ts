import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildServer } from "../../../scripts/build.ts";
import { connectError, requireCheckout } from "../cli/exit.ts";

const START_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 20;
const KEPT_OUTPUT_CHARS = 4000;

export interface ServerProgram {
  /** Its name in messages. */
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  isReady: () => Promise<boolean>;
}

/** A server started for the run; it can be stopped and restarted at the same addresses. */
export class ServerProcess {
  readonly #program: ServerProgram;
  #child: ChildProcess | undefined;
  #output = "";

  constructor(program: ServerProgram) {
    this.#program = program;
  }

  get name(): string {
    return this.#program.name;
  }

  /** undefined while it is not running. */
  get pid(): number | undefined {
    return this.#running?.pid;
  }

  /**
   * @param further additional settings
   * @throws {ExitError} with its output if it fails to start
   */
  async start(signal: AbortSignal, further: NodeJS.ProcessEnv = {}): Promise<void> {
    const { name, command, args, env, isReady } = this.#program;
    const child = spawn(command, args, {
      env: { ...env, ...further },
      // Ctrl-C reaches the whole process group; the tester decides when the server exits.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    let failure: string | undefined;
    child.once("error", (error) => (failure = error.message));
    const keep = (chunk: Buffer) =>
      (this.#output = (this.#output + chunk.toString()).slice(-KEPT_OUTPUT_CHARS));
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
    while (!(await isReady())) {
      signal.throwIfAborted();
      const said = `Its output:\n${this.#output.trim()}`;
      if (failure !== undefined) throw connectError(`${name} did not start: ${failure}`);
      if (this.#running === undefined) throw connectError(`${name} did not start. ${said}`);
      if (deadline.aborted) throw connectError(`${name} was not ready after ${START_TIMEOUT_MS} ms. ${said}`);
      await sleep(POLL_MS);
    }
  }

  /** SIGTERM, then SIGKILL if it doesn't exit in time. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.killNow(), STOP_TIMEOUT_MS);
    await this.#end("SIGTERM");
    clearTimeout(timer);
  }

  /** SIGKILL; resolves when it has exited. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  killNow(): void {
    this.#running?.kill("SIGKILL");
  }

  get #running(): ChildProcess | undefined {
    const child = this.#child;
    const isRunning = child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
    return isRunning ? child : undefined;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#running;
    if (child === undefined) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }
}

/** The folder and the processes of a throwaway platform, removed when it is closed or the tester exits in any way. */
export class Workplace {
  readonly folder: string;
  readonly #processes: ServerProcess[] = [];
  readonly #removeAtOnce = () => {
    for (const process of this.#processes) process.killNow();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  };

  private constructor(folder: string) {
    this.folder = folder;
    process.on("exit", this.#removeAtOnce);
  }

  /** @throws {ExitError} in the package, which has no platform */
  static async open(): Promise<Workplace> {
    requireCheckout("Starting the server");
    await buildServer();
    return new Workplace(await mkdtemp(join(tmpdir(), "fanfare-tester-")));
  }

  /** The caller starts it. */
  add(program: ServerProgram): ServerProcess {
    const process = new ServerProcess(program);
    this.#processes.push(process);
    return process;
  }

  /** All that are running. */
  get processes(): { name: string; pid: number }[] {
    return this.#processes.flatMap(({ name, pid }) => (pid === undefined ? [] : [{ name, pid }]));
  }

  /** Stops the processes, last added first, and removes the folder. Safe to call twice. */
  async close(): Promise<void> {
    for (const process of this.#processes.toReversed()) await process.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
    process.off("exit", this.#removeAtOnce);
  }
}
