import { unavailable } from "./errors.ts";

/**
 * Limits how long to wait for work that can't be aborted, which continues.
 * @param late makes the error after `timeoutMs`
 */
export async function within<T>(
  timeoutMs: number,
  work: PromiseLike<T>,
  late: () => Error = unavailable,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
