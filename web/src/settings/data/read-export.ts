import type { Call } from "@fanfare/contract";
import { whenAllowed } from "../../shared/pause.ts";

export type ExportedItem = { kind: string; data?: unknown };

/**
 * Reads the export page by page and honors the server's rate limit.
 * @throws {FanfareError} as `call`, or the signal's reason
 */
export async function* readExport(call: Call, signal: AbortSignal): AsyncGenerator<ExportedItem[]> {
  let cursor: string | null = null;
  do {
    const params: { cursor?: string } = cursor === null ? {} : { cursor };
    const page: { items: ExportedItem[]; nextCursor: string | null } = await whenAllowed(
      () => call("user.exportMyData", params),
      signal,
    );
    yield page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
