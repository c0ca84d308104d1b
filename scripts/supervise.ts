import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { guardAgainstOrphan } from "../packages/testing/src/server-process.ts";

/** Exit codes of the server. */
const STOPPED = 0;
const FAILED_TO_START = 1;
const INTERRUPTED = 130;

/**
 * Runs a server, passes signals on to it, restarts it when it crashes, and ends this process with it.
 * @param prepared what to wait for before the first start; a signal meanwhile ends this process afterwards
 */
export async function supervise(
  command: string,
  args: readonly string[],
  prepared: Promise<void> = Promise.resolve(),
): Promise<void> {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      stopping.abort();
      child?.kill(signal === "SIGHUP" ? "SIGTERM" : signal);
    });
  }
  await prepared;
  const restarts = new Restarts();
  let isFirst = true;
  while (!stopping.signal.aborted) {
    const startedMs = performance.now();
    // In its own process group, so that Ctrl-C reaches it only once, through this process.
    child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"], detached: true });
    guardAgainstOrphan(child);
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    // After a crash, the start can fail until the database of the crashed process has closed.
    const isEnd = code === STOPPED || code === INTERRUPTED || (code === FAILED_TO_START && isFirst);
    if (stopping.signal.aborted || isEnd) process.exit(code ?? FAILED_TO_START);
    isFirst = false;
    const ended = `Fanfare exited (${signal ?? `exit code ${code}`})`;
    const waitMs = restarts.next(performance.now() - startedMs);
    if (waitMs === null) {
      process.stderr.write(`${ended} right after each start. Giving up.\n`);
      process.exit(code ?? FAILED_TO_START);
    }
    process.stderr.write(`${ended}. Restarting.\n`);
    await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}

/** A process that exits sooner than this counts as failing at once. */
const IMMEDIATE_MS = 10_000;
const MOST_IMMEDIATE = 5;
const FIRST_WAIT_MS = 500;

/**
 * When to restart a process that has exited: after half a second, then with growing delays, and never if it keeps failing
 * at once.
 */
export class Restarts {
  #immediate = 0;

  /**
   * @param ranMs how long the process ran
   * @returns milliseconds to wait before its next start; null: give up
   */
  next(ranMs: number): number | null {
    this.#immediate = ranMs < IMMEDIATE_MS ? this.#immediate + 1 : 0;
    if (this.#immediate >= MOST_IMMEDIATE) return null;
    return FIRST_WAIT_MS * 2 ** this.#immediate;
  }
}
