import { readdirSync, readFileSync } from "node:fs";
import { withChildren } from "../broadcast/process-usage.ts";

/** CPU time of every thread of these processes and their children, in milliseconds; null if unavailable. */
export function threadTimes(pids: readonly number[]): Map<string, number> | null {
  if (process.platform !== "linux" || pids.length === 0) return null;
  try {
    return new Map(
      pids.flatMap(withChildren).flatMap((pid) =>
        readdirSync(`/proc/${pid}/task`).map((thread) => {
          const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
          return [thread, Number(nanoseconds) / 1e6] as const;
        }),
      ),
    );
  } catch {
    // A process has exited meanwhile.
    return null;
  }
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
