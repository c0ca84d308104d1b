import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, fstatSync, openSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { guardAgainstOrphan } from "./orphan-guard.ts";

export interface ServerProgram {
  /** What messages and the log file call it. */
  name: string;
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
  /** Where its log is written, and whatever else `args` put there; must exist. */
  folder: string;
  /** Whether `stop` removes the folder. */
  temporary: boolean;
  port: number;
  url: string;
  /** Whether it serves. Asked until it says yes; may throw. `printed` is what it has printed since its start. */
  isReady: (printed: string) => boolean | Promise<boolean>;
}

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Starts are slow where many tests share a machine. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 50;
const LOG_TAIL_CHARS = 2000;

/** A real server in a process of its own, to be killed, frozen and started again on the same port. It never outlives this process. */
export class ServerProcess {
  readonly #program: ServerProgram;
  #child: ChildProcess | null = null;
  #exited: Promise<ProcessExit> = Promise.resolve({ code: null, signal: null });
  /** Every end that was not asked for by `kill` or `stop`. */
  readonly crashes: ProcessExit[] = [];
  #endIsWanted = false;

  constructor(program: ServerProgram) {
    this.#program = program;
  }

  get name(): string {
    return this.#program.name;
  }

  get port(): number {
    return this.#program.port;
  }

  get url(): string {
    return this.#program.url;
  }

  get folder(): string {
    return this.#program.folder;
  }

  /** What it printed, of all its starts. */
  get logFile(): string {
    return join(this.folder, `${this.name}.log`);
  }

  /** undefined while it does not run. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Starts it, also again after its end; resolves when it serves.
   * @throws {Error} with the end of its log when it exits instead, or does not serve in time
   */
  async start(): Promise<void> {
    if (this.#child !== null) throw new Error(`${this.name} runs already.`);
    const { command, args, env, cwd, isReady } = this.#program;
    const log = openSync(this.logFile, "a");
    const logStart = fstatSync(log).size;
    const printed = (): Promise<string> =>
      readFile(this.logFile).then((bytes) => bytes.subarray(logStart).toString());
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", log, log],
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    this.#endIsWanted = false;
    this.#exited = new Promise((resolve) => {
      const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (this.#child !== child) return;
        this.#child = null;
        if (!this.#endIsWanted) this.crashes.push({ code, signal });
        resolve({ code, signal });
      };
      child.once("exit", ended);
      child.once("error", () => ended(null, null));
    });
    guardAgainstOrphan(child);
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (Date.now() < deadline && this.#child === child) {
      const ready = await printed()
        .then(isReady)
        .catch(() => false);
      if (ready) return;
      await delay(POLL_MS);
    }
    const reason = this.#child === child ? "was not ready in time" : "exited at its start";
    await this.kill();
    throw new Error(`${this.name} ${reason}. It printed:\n${(await printed()).slice(-LOG_TAIL_CHARS)}`);
  }

  /** SIGKILL; resolves when it is gone. Does nothing when it does not run. */
  async kill(): Promise<void> {
    this.#endIsWanted = true;
    this.#child?.kill("SIGKILL");
    await this.#exited;
  }

  /** SIGSTOP: its sockets stay open, and nothing answers. */
  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  /** SIGCONT */
  thaw(): void {
    this.#child?.kill("SIGCONT");
  }

  /** SIGTERM, and SIGKILL when that does not end it in time. A temporary folder is removed. */
  async stop(): Promise<void> {
    this.#endIsWanted = true;
    this.thaw();
    this.#child?.kill("SIGTERM");
    const timeout = new AbortController();
    const ended = await Promise.race([
      this.#exited.then(() => true),
      delay(STOP_TIMEOUT_MS, false, { signal: timeout.signal }),
    ]);
    timeout.abort();
    if (!ended) await this.kill();
    if (this.#program.temporary) await rm(this.folder, { recursive: true, force: true });
  }

  /** Resolves at the end of the process that runs now, or at once when none does. */
  exit(): Promise<ProcessExit> {
    return this.#exited;
  }
}
