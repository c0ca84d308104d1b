import type { Params } from "@fanfare/contract";
import { FanfareError, localError } from "./errors.ts";
import { parse, unwrap } from "./http.ts";

export interface ExportGroupOptions {
  /** Export any group, as an admin of the instance. */
  asAdmin?: boolean;
  signal?: AbortSignal;
}

/** Whose messages to export, from when to when, and why. */
export type MessageExport = Params<"admin.startMessageExport">;

interface LinesRequest {
  path: string;
  /** Sent as JSON with POST. Absent: GET. */
  body?: unknown;
  signal?: AbortSignal | undefined;
}

export const groupExport = (
  groupId: string,
  { asAdmin = false, signal }: ExportGroupOptions,
): LinesRequest => ({
  path: `/api/${asAdmin ? "admin.exportGroup" : "group.export"}?groupId=${encodeURIComponent(groupId)}`,
  signal,
});

/**
 * Opens the stream of an export.
 * @throws {FanfareError} the server's error, CONNECTION_LOST or UNEXPECTED_ANSWER; or the abort reason of `signal`
 */
export async function openLines(
  url: string,
  { path, body, signal }: LinesRequest,
  accessToken: string,
): Promise<ReadableStream<Uint8Array>> {
  const authorization = `Bearer ${accessToken}`;
  const sent: RequestInit =
    body === undefined
      ? { headers: { authorization } }
      : {
          method: "POST",
          headers: { authorization, "content-type": "application/json" },
          body: JSON.stringify(body),
        };
  const request = fetch(`${url}${path}`, { ...sent, ...(signal !== undefined && { signal }) });
  const response = await request.catch((error: unknown) => {
    signal?.throwIfAborted();
    throw localError("CONNECTION_LOST", `The server at ${url} cannot be reached.`, error);
  });
  const isFile = response.headers.get("content-type")?.startsWith("application/x-ndjson") === true;
  if (response.ok && isFile && response.body !== null) return response.body;
  const text = await response.text();
  // Throws the server's error, if the response is one.
  unwrap(parse(text), `HTTP ${response.status}`);
  throw localError("UNEXPECTED_ANSWER", `The response is not an export (HTTP ${response.status}).`);
}

/**
 * Yields the lines of an export as they arrive. Ending the loop early cancels the download.
 * @throws {FanfareError} CONNECTION_LOST if it was interrupted, even if only its end is missing
 */
export async function* readLines<L extends { type: string }>(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<L> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let lines = 0;
  let isWhole = false;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const texts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = texts.pop() ?? "";
      for (const text of texts) {
        const line = JSON.parse(text) as L & { lines?: number };
        isWhole = line.type === "end" && line.lines === lines;
        lines += 1;
        yield line;
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof FanfareError) throw error;
    throw localError("CONNECTION_LOST", "The export was interrupted.", error);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  if (!isWhole) throw localError("CONNECTION_LOST", "The export was interrupted.");
}
