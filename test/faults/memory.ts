import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ServerProcess } from "@fanfare/testing";

const run = promisify(execFile);
const INTERVAL_MS = 2000;
/** What no process of a crowd this small may reach. */
const MAX_MIB = 700;

export interface MemoryUse {
  /** Mean of the first and of the last quarter of the samples, and the highest, in MiB of resident memory. */
  firstMib: number;
  lastMib: number;
  highestMib: number;
}

/** Samples the memory of processes, whatever pid they have at the time. */
export class MemoryWatch {
  readonly #servers: readonly ServerProcess[];
  readonly #samples = new Map<string, number[]>();
  readonly #timer: NodeJS.Timeout;

  constructor(servers: readonly ServerProcess[]) {
    this.#servers = servers;
    this.#timer = setInterval(() => void this.#sample(), INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  use(): Record<string, MemoryUse> {
    return Object.fromEntries(
      [...this.#samples].map(([name, samples]) => {
        const quarter = Math.ceil(samples.length / 4);
        return [
          name,
          {
            firstMib: mean(samples.slice(0, quarter)),
            lastMib: mean(samples.slice(-quarter)),
            highestMib: Math.max(...samples),
          },
        ];
      }),
    );
  }

  excesses(): string[] {
    return Object.entries(this.use())
      .filter(([, { highestMib }]) => highestMib > MAX_MIB)
      .map(([name, { highestMib }]) => `${name} took ${highestMib} MiB`);
  }

  async #sample(): Promise<void> {
    const names = new Map(this.#servers.map(({ pid, name }) => [pid, name]));
    const pids = [...names.keys()].filter((pid) => pid !== undefined);
    // It fails when none of them exists any more.
    const { stdout } = await run("ps", ["-o", "pid=,rss=", "-p", pids.join(",")]).catch(() => ({
      stdout: "",
    }));
    for (const line of stdout.trim().split("\n")) {
      const [pid, kib] = line.trim().split(/\s+/).map(Number);
      const name = names.get(pid);
      if (name === undefined || kib === undefined) continue;
      const samples = this.#samples.get(name) ?? [];
      this.#samples.set(name, samples);
      samples.push(Math.round(kib / 1024));
    }
  }
}

function mean(samples: readonly number[]): number {
  return Math.round(samples.reduce((sum, sample) => sum + sample, 0) / Math.max(1, samples.length));
}
