export interface Backoff {
  /** The longest delay before the first retry, in milliseconds. */
  baseMs: number;
  /** The longest delay, in milliseconds. */
  maxMs: number;
}

/**
 * The delay before retry number `attempt` (0 is the first): a random time in the upper half of a limit that
 * doubles each time, so that processes that failed together don't retry together.
 */
export function backoffMs(attempt: number, { baseMs, maxMs }: Backoff, random = Math.random): number {
  const boundMs = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return boundMs / 2 + (random() * boundMs) / 2;
}
