import { FanfareError } from "@fanfare/client";
import type { Call } from "@fanfare/contract";

const MIN_WAIT_MS = 500;

export type ExportedItem = { kind: string; data?: unknown };

/**
 * Reads the export page by page and honors the server's rate limit.
 * @throws {FanfareError} as `call`, or the signal's reason
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
