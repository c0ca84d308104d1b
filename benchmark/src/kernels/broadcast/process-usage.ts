import { readdirSync, readFileSync } from "node:fs";

/** null: another system, or the process has exited or isn't readable. */
function fromProc<T>(read: () => T): T | null {
  if (process.platform !== "linux") return null;
  try {
    return read();
  } catch {
    return null;
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Resident memory and CPU time of a process with all its children; null if unavailable. */
export const processUsage = (pid: number) =>
  fromProc(() => {
    const all = withChildren(pid);
    const threads = all.flatMap(threadMs).map(([, ms]) => ms);
    return { rssBytes: sum(all.map(residentBytes)), cpuSeconds: sum(threads) / 1000 };
  });

/** Resident memory of a process, and of all its children; null if unavailable. */
export const processMemory = (pid: number) =>
  fromProc(() => {
    const [ownBytes = 0, ...children] = withChildren(pid).map(residentBytes);
    return { ownBytes, childrenBytes: sum(children) };
  });

/** CPU time of every thread of these processes and their children, in milliseconds; null if unavailable. */
export function threadTimes(pids: readonly number[]): ReadonlyMap<string, number> | null {
  return pids.length === 0 ? null : fromProc(() => new Map(pids.flatMap(withChildren).flatMap(threadMs)));
}

/** Share of a core that the busiest thread used between two samples. */
export function busiestShare(
  before: ReadonlyMap<string, number> | null,
  after: ReadonlyMap<string, number> | null,
  durationMs: number,
): number | null {
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
