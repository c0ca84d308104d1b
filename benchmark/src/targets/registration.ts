import { nowMs } from "../kernels/broadcast/clock.ts";
import { percentiles, type Percentiles } from "../kernels/broadcast/percentiles.ts";
import type { Progress } from "../report/progress.ts";

export interface RegistrationResult {
  users: number;
  perSecond: number;
  /** From a user's first request until it can connect. */
  userMs: Percentiles | null;
}

export interface Work {
  /** Of the progress. */
  label: string;
  count: number;
  /** How many at the same time. */
  concurrency: number;
  progress: Progress;
  signal: AbortSignal;
}

/** Runs `register` for each number below `count`, with progress, and times it. */
export async function registerAll<T>(
  { label, count, concurrency, progress, signal }: Work,
  register: (index: number) => Promise<T>,
): Promise<{ users: T[]; result: RegistrationResult }> {
  const users: T[] = [];
  const times = new Float64Array(count);
  const startedMs = nowMs();
  let [next, done] = [0, 0];
  const lane = async () => {
    while (next < count) {
      const index = next++;
      const begunMs = nowMs();
      signal.throwIfAborted();
      users[index] = await register(index);
      times[index] = nowMs() - begunMs;
      done++;
    }
  };
  const stop = (error: unknown) => {
    next = count;
    throw error;
  };
  // After a failure too, all end before the server's clean-up.
  const work = () =>
    Promise.allSettled(Array.from({ length: Math.min(count, concurrency) }, () => lane().catch(stop)));
  const lanes = await progress.during(label, count, () => done, work);
  for (const ended of lanes) if (ended.status === "rejected") throw ended.reason;
  const perSecond = (count * 1000) / (nowMs() - startedMs);
  return { users, result: { users: count, perSecond, userMs: percentiles(times.sort()) } };
}
