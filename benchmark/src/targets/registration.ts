import { nowMs } from "../kernels/broadcast/clock.ts";
import { percentiles, type Percentiles } from "../kernels/broadcast/percentiles.ts";

export interface RegistrationResult {
  users: number;
  durationMs: number;
  perSecond: number;
  /** From a user's first request until it can connect. */
  userMs: Percentiles | null;
}

/** Runs `register` for each number below `count`, at most `concurrency` at the same time, and times it. */
export async function registerAll<T>(
  count: number,
  concurrency: number,
  register: (index: number) => Promise<T>,
  onDone: () => void,
): Promise<{ users: T[]; result: RegistrationResult }> {
  const users: T[] = [];
  const times = new Float64Array(count);
  const startedMs = nowMs();
  let next = 0;
  let hasFailed = false;
  const lane = async () => {
    while (next < count && !hasFailed) {
      const index = next++;
      const begunMs = nowMs();
      try {
        users[index] = await register(index);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
      times[index] = nowMs() - begunMs;
      onDone();
    }
  };
  // After a failure too, all end before the server's clean-up.
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(count, concurrency) }, lane));
  for (const ended of lanes) if (ended.status === "rejected") throw ended.reason;
  const durationMs = nowMs() - startedMs;
  const userMs = percentiles(times.sort());
  return { users, result: { users: count, durationMs, perSecond: count / (durationMs / 1000), userMs } };
}
