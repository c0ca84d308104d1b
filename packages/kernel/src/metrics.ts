import { readdir, stat } from "node:fs/promises";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { collectDefaultMetrics, Gauge, Registry, AggregatorRegistry, type MetricObject } from "prom-client";

export { Counter, Gauge, Histogram, Registry } from "prom-client";

/**
 * Metrics of prom-client that cost too much: some enumerate all handles or files, which blocks the event loop for milliseconds with
 * 10,000 connections; those of the event loop wake the thread for each sample.
 */
const REPLACED = /^(nodejs_active_|process_open_fds$|nodejs_eventloop_lag_\w+_seconds$)/;
/** prom-client always starts this timer. */
const NEVER_MS = 2 ** 31 - 1;
const OPEN_FILES = "/proc/self/fd";
/** Sampling interval of the event loop's delay. */
const LAG_RESOLUTION_MS = 50;
/** A thread that is busy for a smaller part of its time is not sampled. */
const SAMPLED_FROM = 0.02;
const NS_PER_MS = 1e6;
const NS_PER_S = 1e9;

/**
 * Creates the metrics registry of a process or thread with prom-client's default metrics.
 * @param isThread only the metrics that differ per thread
 */
export function createMetrics(isThread = false): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: NEVER_MS });
  for (const { name } of metrics.getMetricsAsArray())
    if (REPLACED.test(name) || (isThread && !OF_A_THREAD.test(name))) metrics.removeSingleMetric(name);
  if (!isThread && process.platform === "linux") countOpenFiles(metrics);
  watchHeap(metrics);
  watchIterations(metrics);
  watchDelay(metrics);
  return metrics;
}

function watchHeap(registry: Registry): void {
  readGauge({
    name: "fanfare_heap_used_ratio",
    help: "Heap used as a fraction of its limit, of the thread that is closest to it.",
    registry,
    aggregator: "max",
    read() {
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      return used / limit;
    },
  });
}

/** Each scrape decides whether to sample until the next one, because a sample wakes the thread. */
function watchDelay(registry: Registry): void {
  const samples = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  let before = performance.eventLoopUtilization();
  readGauge({
    name: "nodejs_eventloop_lag_p99_seconds",
    help: "How late timers run: 99th percentile since the last scrape, in seconds. 0 for a thread that did next to nothing.",
    registry,
    aggregator: "max",
    read() {
      const lateNs = samples.count === 0 ? 0 : samples.percentile(99) - LAG_RESOLUTION_MS * NS_PER_MS;
      samples.reset();
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      if (utilization >= SAMPLED_FROM) samples.enable();
      else samples.disable();
      return Math.max(0, lateNs) / NS_PER_S;
    },
  });
}

/** Exact, and without a timer. */
function watchIterations(registry: Registry): void {
  const iterations = monitorEventLoopDelay({ samplePerIteration: true });
  iterations.enable();
  readGauge({
    name: "fanfare_event_loop_max_seconds",
    help: "Longest iteration of the event loop since the last scrape, in seconds.",
    registry,
    aggregator: "max",
    read() {
      const longest = iterations.max / NS_PER_S;
      iterations.reset();
      return longest;
    },
  });
}

function countOpenFiles(metrics: Registry): void {
  readGauge({
    name: "process_open_fds",
    help: "Number of open file descriptors.",
    registry: metrics,
    async read() {
      // Since Linux 6.2 the size of the folder is the number of files; before, it is 0.
      const { size } = await stat(OPEN_FILES);
      return size > 0 ? size : (await readdir(OPEN_FILES)).length;
    },
  });
}

interface ReadGaugeOptions {
  name: string;
  help: string;
  registry: Registry;
  /** How to merge the values of threads. Default: the sum. */
  aggregator?: "sum" | "max";
  read: () => number | Promise<number>;
}

/** A gauge whose value is read on each scrape. */
export function readGauge({ name, help, registry, aggregator = "sum", read }: ReadGaugeOptions): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    aggregator,
    registers: [],
    collect: async () => gauge.set(await read()),
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

/** The metrics of one thread, as data that can be sent to another thread. */
export type ThreadMetrics = MetricObject[];

/** Per-thread metrics; the main thread reports those of the process. */
const OF_A_THREAD = /^(fanfare_|nodejs_eventloop_lag_|nodejs_gc_)/;
/** The slowest event loop is the relevant one. */
const OF_THE_SLOWEST = /^nodejs_eventloop_lag_(?!min)/;

/**
 * The metrics that a thread sends to the main thread.
 * @param name only this metric
 */
export async function threadMetrics(registry: Registry, name: string | null): Promise<ThreadMetrics> {
  if (name === null) return registry.getMetricsAsJSON();
  const metric = await registry.getSingleMetric(name)?.get();
  return metric === undefined ? [] : [metric];
}

/** The slowest event loop, and the start time, which prom-client omits because it expects several processes. */
function isMaximum({ name, aggregator }: MetricObject): boolean {
  return OF_THE_SLOWEST.test(name) || aggregator === "omit";
}

/** Merges the metrics of all threads into those of one process, adding up counts. */
export function mergeMetrics(ofThreads: readonly ThreadMetrics[]): Registry {
  const merged = ofThreads.map((metrics) =>
    metrics.map((metric) => (isMaximum(metric) ? { ...metric, aggregator: "max" } : metric)),
  );
  return AggregatorRegistry.aggregate(merged);
}
