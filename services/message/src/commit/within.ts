/** The driver has no time limit of its own: a write that nobody answers would hold its channel up for ever. */
class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
}

/** What the work gives, or a rejection when it takes longer than `timeoutMs`. The work itself goes on. */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new TimeLimitError(`The database did not answer within ${timeoutMs} ms.`)),
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
