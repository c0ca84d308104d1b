import { serviceError } from "@fanfare/kernel";
import { RETRY_AFTER_MS } from "./limits.ts";

/**
 * What the work gives. The driver has no time limit of its own: a database that is frozen would hold up everybody for ever.
 * @throws {ServiceError} UNAVAILABLE when it takes longer than `timeoutMs`; the work itself goes on
 */
export async function within<T>(timeoutMs: number, work: PromiseLike<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS })),
    timeoutMs,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** One time limit for several steps, which are told what is left of it. */
export function deadline(timeoutMs: number): <T>(step: (restMs: number) => Promise<T>) => Promise<T> {
  const endMs = performance.now() + timeoutMs;
  return (step) => {
    const restMs = Math.max(1, Math.ceil(endMs - performance.now()));
    return within(restMs, step(restMs));
  };
}
