import { readdir, stat } from "node:fs/promises";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { OF_A_THREAD } from "./threads/merged-metrics.ts";

export { Counter, Gauge, Histogram, Registry } from "prom-client";

/** prom-client's collectors that list every handle or file: with 10,000 connections they block the event loop for milliseconds. */
const LISTS_EVERYTHING = /^(nodejs_active_|process_open_fds$)/;
const OPEN_FILES = "/proc/self/fd";

/**
 * The metrics of one process, or of one thread of it: Prometheus' usual ones, and what its services add.
 * @param isThread only what differs from thread to thread
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
      // Linux 6.2 and later tell the number as the folder's size; before, it is 0.
      const { size } = await stat(OPEN_FILES);
      openFiles.set(size > 0 ? size : (await readdir(OPEN_FILES)).length);
    },
  });
}

interface ReadGaugeOptions {
  name: string;
  help: string;
  registry: Registry;
  /** What the threads of one process make together; by default their sum. */
  aggregator?: "sum" | "max";
  read: () => number;
}

/** A gauge that is read on each scrape: between scrapes it costs nothing. */
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

/** The largest value of the last minute as a gauge, which a histogram cannot tell: its buckets only say between which bounds it lies. */
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

  /** The largest since the last time it was taken. 0 when nothing was observed. */
  take(): number {
    const taken = this.#sinceTaken;
    this.#sinceTaken = 0;
    return taken;
  }

  /** 0 when nothing was observed. */
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
