import { FanfareError } from "@fanfare/client";
import type { Call } from "@fanfare/contract";

const MIN_WAIT_MS = 500;

/** Of everything that the server has of the user: what it is, and what the server says of it. */
export type ExportedItem = { kind: string; data?: unknown };

/**
 * All of it, page by page. Where the server asks to slow down it is waited for.
 * @throws {FanfareError} as `call`; what the signal was aborted with
 */
export async function* readExport(call: Call, signal: AbortSignal): AsyncGenerator<ExportedItem[]> {
  let cursor: string | null = null;
  do {
    signal.throwIfAborted();
    try {
      const page: { items: ExportedItem[]; nextCursor: string | null } = await call(
        "user.exportMyData",
        cursor === null ? {} : { cursor },
      );
      yield page.items;
      cursor = page.nextCursor;
      if (cursor === null) return;
    } catch (failure) {
      if (!(failure instanceof FanfareError) || failure.type !== "RATE_LIMITED") throw failure;
      await pause(Math.max(failure.retryAfterMs, MIN_WAIT_MS));
    }
  } while (true);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
