import { readdirSync, readFileSync } from "node:fs";
import os from "node:os";
import { PerformanceObserver } from "node:perf_hooks";
import { isOnThisMachine } from "../../receivers/source-addresses.ts";
import { nowMs } from "./clock.ts";
import { difference, mapValues, sum } from "./percentiles.ts";

/** null: another system, or the process has exited or isn't readable. Another try, as a thread or child can end while it is read. */
function fromProc<T>(read: () => T, tries = 3): T | null {
  if (process.platform !== "linux") return null;
  try {
    return read();
  } catch {
    return tries > 1 ? fromProc(read, tries - 1) : null;
  }
}

export type ProcessUsage = NonNullable<ReturnType<typeof processUsage>>;

/** Resident memory and CPU time of a process with all its children; null if unavailable. `own`: without them. */
export const processUsage = (pid: number) =>
  fromProc(() => {
    const all = withChildren(pid);
    const rss = all.map(residentBytes);
    const threads = all.flatMap(threadMs).map(([, ms]) => ms);
    return { rssBytes: sum(rss), cpuSeconds: sum(threads) / 1000, ownRssBytes: rss[0]! };
  });

/** CPU time of threads in milliseconds; null if unavailable. */
type ThreadTimes = ReadonlyMap<string, number> | null;

/** Of every thread of these processes and their children. */
function threadTimes(pids: readonly number[]): ThreadTimes {
  return pids.length === 0 ? null : fromProc(() => new Map(pids.flatMap(withChildren).flatMap(threadMs)));
}

/** Share of a core that the busiest thread used between two samples. */
function busiestShare(before: ThreadTimes, after: ThreadTimes, durationMs: number): number | null {
  if (!before || !after) return null;
  const used = [...after].map(([thread, ms]) => ms - (before.get(thread) ?? 0));
  return Math.max(0, ...used) / durationMs;
}

/**
 * A process and all its descendants.
 * @throws {Error} if one of them has exited
 */
function withChildren(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(withChildren)];
}

function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) * 1024;
}

/** CPU time per thread (schedstat, in nanoseconds), because the process total counts in steps of 10 ms. */
function threadMs(pid: number): [thread: string, ms: number][] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
    return [thread, Number(nanoseconds) / 1e6];
  });
}

const TICK_MS = 10;

/** @returns ends the watch, with the longest time that this thread's event loop stood still */
export function watchLoop(tickMs = TICK_MS): () => number {
  let [lastMs, longestMs] = [nowMs(), 0];
  const look = () => {
    const now = nowMs();
    longestMs = Math.max(longestMs, now - lastMs - tickMs);
    lastMs = now;
  };
  const ticks = setInterval(look, tickMs).unref();
  return () => {
    clearInterval(ticks);
    // A delay that has just ended may not have had its tick yet. Node's monitorEventLoopDelay misses it, and the time to its first tick.
    look();
    return longestMs;
  };
}

let gcMs = 0;
const count = (entries: readonly { duration: number }[]) => {
  for (const { duration } of entries) gcMs += duration;
};
const collections = new PerformanceObserver((list) => count(list.getEntries()));
let isObserving = false;
let endLoop: (() => number) | undefined;

export type ThreadLoad = ReturnType<typeof sampleThreadLoad>;

/** Resources that the calling thread has used so far. The difference of two samples is its load. */
export function sampleThreadLoad() {
  if (!isObserving) collections.observe({ entryTypes: ["gc"] });
  isObserving = true;
  count(collections.takeRecords());
  const [onCpuMs, waitMs] = readSchedulerTimes();
  const standstillMs = endLoop?.() ?? 0;
  endLoop = watchLoop();
  return {
    atMs: nowMs(),
    cpuMs: readCpuMs() ?? onCpuMs ?? 0,
    /** How long it was runnable but waiting for a core; null if the system doesn't report it. */
    waitMs: waitMs ?? null,
    /** In garbage collection, since the first sample. */
    gcMs,
    /** How long its event loop stood still at most, since the last sample. */
    standstillMs,
  };
}

/** undefined: a Node 22 without this function. */
function readCpuMs(): number | undefined {
  if (typeof process.threadCpuUsage !== "function") return undefined;
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** On the CPU and waiting, from schedstat: Documentation/scheduler/sched-stats.rst of the Linux kernel. */
function readSchedulerTimes(): number[] {
  const read = () => readFileSync("/proc/thread-self/schedstat", "utf8").split(" ", 2);
  return (fromProc(read) ?? []).map((nanoseconds) => Number(nanoseconds) / 1e6);
}

/** Of the busiest of several threads: its share of a core, and the share of the time it waited for one. */
export function busiestThread(
  before: readonly ThreadLoad[],
  after: readonly ThreadLoad[],
): { busy: number | null; waiting: number | null } {
  const largest = (used: (load: ThreadLoad) => number | null): number | null => {
    const shares = after.flatMap((load, i) => {
      const [from, to, durationMs] = [used(before[i]!), used(load), load.atMs - before[i]!.atMs];
      return from === null || to === null || durationMs <= 0 ? [] : [Math.min(1, (to - from) / durationMs)];
    });
    return shares.length === 0 ? null : Math.max(...shares);
  };
  return { busy: largest((load) => load.cpuMs), waiting: largest((load) => load.waitMs) };
}

/** CPU time of all child processes of this one: receivers, and servers that it started; null if unavailable. */
export const childSeconds = () =>
  fromProc(() => {
    const [, ...children] = withChildren(process.pid);
    return sum(children.flatMap(threadMs).map(([, ms]) => ms)) / 1000;
  });

/**
 * CPU time that all programs of this machine except this one and its children have used so far; null if one of them has just
 * exited. Only Linux tells about children.
 */
function otherSeconds(): number | null {
  const children = process.platform === "linux" ? childSeconds() : 0;
  if (children === null) return null;
  const allMs = os
    .cpus()
    .reduce((total, { times }) => total + times.user + times.nice + times.sys + times.irq, 0);
  const { user, system } = process.cpuUsage();
  return allMs / 1000 - (user + system) / 1e6 - children;
}

const READINGS = 5;

/**
 * CPU time that reading it costs a server: the least of several, because the server does other work meanwhile. Read from the
 * operating system, it costs nothing.
 */
export async function readingCost(read: () => Promise<number | null>): Promise<number> {
  let least = Infinity;
  let before = await read();
  for (let i = 0; i < READINGS; i++) {
    const after = await read();
    least = Math.min(least, usedSeconds(before, after) ?? 0);
    before = after;
  }
  return least;
}

/** CPU time between two readings, without what reading costs; null: unknown. */
export function usedSeconds(before: number | null, after: number | null, reading = 0): number | null {
  const used = difference(before, after);
  return used && Math.max(0, used - reading);
}

export interface WatchedServer {
  urls: readonly string[];
  /** It was started by this process. */
  isThrowaway: boolean;
  /** What was started. */
  platform?: { processes: readonly { pid: number }[] } | undefined;
  /** CPU time so far; null if unavailable. */
  cpuSeconds(): Promise<number | null>;
  /** By kind of process (gateway, worker, database, …); null if they can't be distinguished. */
  cpuSecondsByKind?(): Record<string, number> | null;
}

/** What was used during a watch; null if unknown. */
export type ServerUse = Awaited<ReturnType<Awaited<ReturnType<typeof watchServer>>>>;

/** @returns ends the watch */
export async function watchServer(server: WatchedServer) {
  const isLocal = server.isThrowaway || (await isOnThisMachine(server.urls[0]!));
  const threads = () => threadTimes(server.platform?.processes.map(({ pid }) => pid) ?? []);
  const before = await server.cpuSeconds();
  const kindsBefore = server.cpuSecondsByKind?.();
  const [startedMs, othersBefore, threadsBefore] = [nowMs(), otherSeconds(), threads()];
  return async () => {
    const durationMs = nowMs() - startedMs;
    const busiest = busiestShare(threadsBefore, threads(), durationMs);
    const cpuSeconds = difference(before, await server.cpuSeconds());
    const kinds = kindsBefore && server.cpuSecondsByKind?.();
    const ofServer = server.isThrowaway && process.platform === "linux" ? 0 : cpuSeconds;
    const others = isLocal ? difference(othersBefore, otherSeconds()) : null;
    const isKnown = others !== null && cpuSeconds !== null;
    return {
      durationMs,
      cpuSeconds,
      cpuSecondsByKind: kinds
        ? mapValues(kinds, (seconds, kind) => seconds - (kindsBefore[kind] ?? 0))
        : null,
      /** Cores that the server kept busy on average. */
      cores: cpuSeconds && (cpuSeconds * 1000) / durationMs,
      /** The share of a core that its busiest thread used. */
      busiestThread: busiest,
      /** Cores used by unrelated programs. */
      otherProgramsCores: isKnown ? Math.max(0, ((others - ofServer!) * 1000) / (nowMs() - startedMs)) : null,
    };
  };
}
