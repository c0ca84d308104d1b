import type { Recording } from "@fanfare/contract";
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

export interface UploadRequest extends UploadOptions {
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
