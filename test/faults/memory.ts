import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ServerProcess } from "@fanfare/testing";

const run = promisify(execFile);
const INTERVAL_MS = 2000;
/** A limit that no process of so small a crowd should reach. */
const MAX_MIB = 700;

export interface MemoryUse {
  /** Mean of the first and of the last quarter of the samples, and the highest, in MiB of resident memory. */
  firstMib: number;
  lastMib: number;
  highestMib: number;
}

/** Samples the memory of processes, also across restarts. */
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
      .map(([name, { highestMib }]) => `${name} used ${highestMib} MiB`);
  }

  async #sample(): Promise<void> {
    const names = new Map(this.#servers.map(({ pid, name }) => [pid, name]));
    const pids = [...names.keys()].filter((pid) => pid !== undefined);
    // `ps` fails if none of them exists anymore.
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
