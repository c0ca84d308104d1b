import { readdir, stat } from "node:fs/promises";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { OF_A_THREAD } from "./threads/merged-metrics.ts";

export { Counter, Gauge, Histogram, Registry } from "prom-client";

/** prom-client's collectors that enumerate all handles or files; with 10,000 connections they block the event loop for milliseconds. */
const LISTS_EVERYTHING = /^(nodejs_active_|process_open_fds$)/;
const OPEN_FILES = "/proc/self/fd";

/**
 * Creates the metrics registry of a process or thread with prom-client's default metrics.
 * @param isThread only the metrics that differ per thread
 */
export function createMetrics(isThread = false): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  for (const { name } of metrics.getMetricsAsArray())
    if (LISTS_EVERYTHING.test(name) || (isThread && !OF_A_THREAD.test(name)))
      metrics.removeSingleMetric(name);
  if (!isThread && process.platform === "linux") countOpenFiles(metrics);
  return metrics;
}

function countOpenFiles(metrics: Registry): void {
  const openFiles: Gauge = new Gauge({
    name: "process_open_fds",
    help: "Number of open file descriptors.",
    registers: [metrics],
    collect: async () => {
      // Since Linux 6.2 the size of the folder is the number of files; before, it is 0.
      const { size } = await stat(OPEN_FILES);
      openFiles.set(size > 0 ? size : (await readdir(OPEN_FILES)).length);
    },
  });
}

interface ReadGaugeOptions {
  name: string;
  help: string;
  registry: Registry;
  /** How to merge the values of threads. Default: the sum. */
  aggregator?: "sum" | "max";
  read: () => number;
}

/** A gauge whose value is read on each scrape. */
export function readGauge({ name, help, registry, aggregator = "sum", read }: ReadGaugeOptions): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    aggregator,
    registers: [],
    collect: () => gauge.set(read()),
  });
  registry.registerMetric(gauge);
}

const SLICE_MS = 5000;
/** Slices besides the one being filled: the reported value covers the last 60 to 65 s. */
const SLICES = 12;

interface RecentMaxOptions {
  name: string;
  help: string;
  registry: Registry;
  nowMs?: () => number;
}

/** A gauge of the exact maximum of the last minute, which a histogram can't provide. */
export class RecentMax {
  readonly #slices = Array.from({ length: SLICES + 1 }, () => 0);
  readonly #nowMs: () => number;
  #current: number;
  #sinceTaken = 0;

  constructor({ name, help, registry, nowMs = () => performance.now() }: RecentMaxOptions) {
    this.#nowMs = nowMs;
    this.#current = this.#slice();
    readGauge({ name, help, registry, aggregator: "max", read: () => this.value });
  }

  observe(value: number): void {
    this.#advance();
    const place = this.#current % this.#slices.length;
    if (value > this.#slices[place]!) this.#slices[place] = value;
    if (value > this.#sinceTaken) this.#sinceTaken = value;
  }

  /** Returns the maximum since the last call; 0 if nothing was observed. */
  take(): number {
    const taken = this.#sinceTaken;
    this.#sinceTaken = 0;
    return taken;
  }

  /** 0 if nothing was observed. */
  get value(): number {
    this.#advance();
    return Math.max(...this.#slices);
  }

  #slice(): number {
    return Math.floor(this.#nowMs() / SLICE_MS);
  }

  #advance(): void {
    const now = this.#slice();
    const passed = Math.min(now - this.#current, this.#slices.length);
    for (let i = 1; i <= passed; i += 1) this.#slices[(now - passed + i) % this.#slices.length] = 0;
    this.#current = now;
  }
}
