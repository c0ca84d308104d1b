import { readdirSync, readFileSync } from "node:fs";

/** Resident memory and CPU time of a process with all its children, from /proc; null if unavailable. */
export function processUsage(pid: number): { rssBytes: number; cpuSeconds: number } | null {
  if (process.platform !== "linux") return null;
  try {
    let rssBytes = 0;
    let cpuSeconds = 0;
    for (const member of withChildren(pid)) {
      rssBytes += residentBytes(member);
      cpuSeconds += cpuNanoseconds(member) / 1e9;
    }
    return { rssBytes, cpuSeconds };
  } catch {
    // The process has exited, or isn't readable.
    return null;
  }
}

/** Resident memory of a process, and of all its children; null if unavailable. */
export function processMemory(pid: number): { ownBytes: number; childrenBytes: number } | null {
  if (process.platform !== "linux") return null;
  try {
    const [own = 0, ...children] = withChildren(pid).map(residentBytes);
    return { ownBytes: own, childrenBytes: children.reduce((sum, bytes) => sum + bytes, 0) };
  } catch {
    return null;
  }
}

/**
 * A process and all its descendants.
 * @throws {Error} if one of them has exited
 */
export function withChildren(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(withChildren)];
}

function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) * 1024;
}

/** Per thread in nanoseconds (schedstat), because the process total counts in steps of 10 ms. */
function cpuNanoseconds(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]))
    .reduce((sum, nanoseconds) => sum + nanoseconds, 0);
}
