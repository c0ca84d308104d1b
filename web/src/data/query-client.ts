import { FanfareError } from "@fanfare/client";
import { QueryClient } from "@tanstack/react-query";

const MAX_TRIES = 5;
const RETRY_BASE_MS = 500;
const RETRY_MAX_MS = 10_000;
/** What is not shown any more is kept for so long. */
const UNUSED_KEPT_MS = 10 * 60_000;

/** For answers that no event keeps up: asked for each time they are opened. */
export const ON_OPEN = { staleTime: 0 } as const;

/** Nothing is asked for again by itself: events keep the answers, and after a loss of the connection all are asked for again. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        gcTime: UNUSED_KEPT_MS,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // Whether there is a connection the SDK knows better than the browser.
        networkMode: "always",
        retry: (failures, error) =>
          error instanceof FanfareError && error.retryable && failures + 1 < MAX_TRIES,
        retryDelay,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}

function retryDelay(failures: number, error: unknown): number {
  const asked = error instanceof FanfareError ? error.retryAfterMs : 0;
  const own = Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** failures);
  return asked + own * (0.5 + Math.random() / 2);
}
