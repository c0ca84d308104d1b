import { isErrorOf } from "./use-action.ts";

/** Ends early when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}

const MIN_WAIT_MS = 500;

/**
 * Repeats a call for as long as the server's rate limit rejects it, and waits as long as it says.
 * @throws the call's error, or the signal's reason
 */
export async function whenAllowed<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!isErrorOf(error, "RATE_LIMITED")) throw error;
      await pause(Math.max(error.retryAfterMs, MIN_WAIT_MS), signal);
    }
  }
}
