import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, openSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface ServerProgram {
  /** Used in error messages and as the name of the log file. */
  name: string;
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
  /** An existing folder for the log and the data. */
  folder: string;
  /** Whether `stop` removes the folder. */
  temporary: boolean;
  port: number;
  url: string;
  /** Polled until it returns true; errors count as false. `printed` is the output since the last start. */
  isReady: (printed: string) => boolean | Promise<boolean>;
  /** What `stop` sends. Default: SIGTERM. */
  stopSignal?: NodeJS.Signals;
}

interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Long, because starts are slow when many tests share a machine. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 50;
const LOG_TAIL_CHARS = 2000;

/** A server process that can be killed, frozen and restarted on the same port. It never outlives this process. */
export class ServerProcess {
  readonly #program: ServerProgram;
  #child: ChildProcess | null = null;
  #exited: Promise<ProcessExit> = Promise.resolve({ code: null, signal: null });
  /** Exits that were not caused by `kill` or `stop`. */
  readonly crashes: ProcessExit[] = [];
  #isExitExpected = false;

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

  /** The output of all runs. */
  get logFile(): string {
    return join(this.folder, `${this.name}.log`);
  }

  /** undefined while not running. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Starts or restarts the server; resolves when it is ready.
   * @throws {Error} with the end of its log if it exits or isn't ready in time
   */
  async start(): Promise<void> {
    if (this.#child !== null) throw new Error(`${this.name} is already running.`);
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
    this.#isExitExpected = false;
    this.#exited = new Promise((resolve) => {
      const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (this.#child !== child) return;
        this.#child = null;
        if (!this.#isExitExpected) this.crashes.push({ code, signal });
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
    const reason = this.#child === child ? "was not ready in time" : "exited during startup";
    await this.kill();
    throw new Error(`${this.name} ${reason}. It printed:\n${(await printed()).slice(-LOG_TAIL_CHARS)}`);
  }

  /** Sends SIGKILL; resolves when the process has exited. */
  async kill(): Promise<void> {
    this.#isExitExpected = true;
    this.#child?.kill("SIGKILL");
    await this.#exited;
  }

  /** Sends SIGSTOP: sockets stay open, but nothing responds. */
  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  /** Sends SIGCONT. */
  thaw(): void {
    this.#child?.kill("SIGCONT");
  }

  /** Sends SIGTERM or the program's `stopSignal`, then SIGKILL if it doesn't exit in time. Removes a temporary folder. */
  async stop(): Promise<void> {
    this.#isExitExpected = true;
    this.thaw();
    this.#child?.kill(this.#program.stopSignal ?? "SIGTERM");
    const timeout = new AbortController();
    const ended = await Promise.race([
      this.#exited.then(() => true),
      delay(STOP_TIMEOUT_MS, false, { signal: timeout.signal }),
    ]);
    timeout.abort();
    if (!ended) await this.kill();
    if (this.#program.temporary) await rm(this.folder, { recursive: true, force: true });
  }

  /** Resolves when the current process exits, or immediately if none is running. */
  exit(): Promise<ProcessExit> {
    return this.#exited;
  }
}

/** Waits for the end of its input, which is closed when this process ends in any way, and then kills the guarded process. */
const SCRIPT = 'read -r _; kill -9 "$1" 2>/dev/null';

const guarded = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of guarded) child.kill("SIGKILL");
});

/**
 * Ensures that a child process doesn't outlive this process, even if this one is killed. The child must be `detached`, so that
 * Ctrl-C reaches only this process.
 */
export function guardAgainstOrphan(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const guard = spawn("/bin/sh", ["-c", SCRIPT, "orphan-guard", String(child.pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Without a shell, as on Windows, there is no guard.
  guard.on("error", () => undefined);
  guard.unref();
  guard.stdin.on("error", () => undefined);
  (guard.stdin as unknown as { unref(): void }).unref();
  guarded.add(child);
  child.once("exit", () => {
    guarded.delete(child);
    // Before the process id can be reused.
    guard.kill("SIGKILL");
  });
}
