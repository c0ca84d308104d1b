import type { Params, Recording } from "@fanfare/contract";
import { FanfareError, localError } from "./errors.ts";
import { parse, unwrap } from "./http.ts";

export interface UploadProgress {
  sentBytes: number;
  totalBytes: number;
}

export interface UploadOptions {
  /** Cancels the upload; the server discards it. */
  signal?: AbortSignal;
  /** Makes an audio file a voice message, which players show with its length and loudness. */
  recording?: Recording;
  /** Called as bytes are sent, and at the end; starts at 0 again if the upload restarts. */
  onProgress?: (progress: UploadProgress) => void;
}

interface UploadRequest extends UploadOptions {
  url: string;
  path: string;
  accessToken: string;
  body: Blob;
}

interface UploadResponse {
  status: number;
  text: string;
}

/** The part of XMLHttpRequest that is used here: Node has neither the class nor its types. */
interface Xhr {
  readonly status: number;
  readonly responseText: string;
  readonly upload: {
    addEventListener(type: "progress", listener: (event: { loaded: number }) => void): void;
  };
  addEventListener(type: "load" | "loadend" | "error" | "abort" | "timeout", listener: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
  abort(): void;
}
type NewXhr = new () => Xhr;

const SLICE_BYTES = 64 * 1024;

/**
 * Sends a file as the body of a request. @returns the data of the answer
 * @throws {FanfareError} the server's error, CONNECTION_LOST or UNEXPECTED_ANSWER; or the abort reason of `signal`
 */
export async function upload(request: UploadRequest): Promise<unknown> {
  const { signal, url, path } = request;
  signal?.throwIfAborted();
  let answer: UploadResponse;
  try {
    // In browsers, only XMLHttpRequest reports upload progress.
    const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: NewXhr };
    answer = await (XMLHttpRequest === undefined ? byFetch(request) : byXhr(request, XMLHttpRequest));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof FanfareError) throw error;
    throw localError(
      "CONNECTION_LOST",
      `The server at ${url} cannot be reached, or closed the connection.`,
      error,
    );
  }
  return unwrap(parse(answer.text), `HTTP ${answer.status}, ${path}`);
}

async function byFetch({
  url,
  path,
  accessToken,
  body,
  signal,
  onProgress,
}: UploadRequest): Promise<UploadResponse> {
  const totalBytes = body.size;
  onProgress?.({ sentBytes: 0, totalBytes });
  let sentBytes = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sentBytes >= totalBytes) return controller.close();
        const slice = await body.slice(sentBytes, sentBytes + SLICE_BYTES).arrayBuffer();
        controller.enqueue(new Uint8Array(slice));
        sentBytes += slice.byteLength;
        onProgress?.({ sentBytes, totalBytes });
      },
    },
    // Queued bytes must not count as sent.
    { highWaterMark: 0 },
  );
  const request: RequestInit & { duplex: "half" } = {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}`, "content-length": String(totalBytes) },
    body: stream,
    duplex: "half",
    ...(signal !== undefined && { signal }),
  };
  const response = await fetch(`${url}${path}`, request);
  return { status: response.status, text: await response.text() };
}

function byXhr(
  { url, path, accessToken, body, signal, onProgress }: UploadRequest,
  XMLHttpRequest: NewXhr,
): Promise<UploadResponse> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const totalBytes = body.size;
    const abort = (): void => xhr.abort();
    signal?.addEventListener("abort", abort);
    xhr.addEventListener("loadend", () => signal?.removeEventListener("abort", abort));
    xhr.addEventListener("load", () => resolve({ status: xhr.status, text: xhr.responseText }));
    for (const failed of ["error", "abort", "timeout"] as const)
      xhr.addEventListener(failed, () => reject(new Error(`XMLHttpRequest: ${failed}`)));
    if (onProgress !== undefined) {
      onProgress({ sentBytes: 0, totalBytes });
      xhr.upload.addEventListener("progress", ({ loaded }) => onProgress({ sentBytes: loaded, totalBytes }));
    }
    xhr.open("POST", `${url}${path}`);
    xhr.setRequestHeader("authorization", `Bearer ${accessToken}`);
    // The server detects the type from the content, so the browser's guess is not sent.
    xhr.setRequestHeader("content-type", "application/octet-stream");
    xhr.send(body);
  });
}

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
