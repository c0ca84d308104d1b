import { FanfareError } from "@fanfare/client";
import type { FileUrl, StoredFile, WireAnswer } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useEffect, useSyncExternalStore } from "react";
import type { ServerCache } from "./cache.ts";
import { useServerCache } from "./data-context.ts";
import { Lookup } from "./lookup.ts";
import { perCache } from "./per-cache.ts";

const MAX_URLS = 1000;
/** An address is asked for anew this long before it ends, so that it does not end on its way. */
const EXPIRY_MARGIN_MS = 30_000;

const urlsOf = perCache(({ client }) => {
  const byChannel = new Map<string, Lookup<FileUrl>>();
  return (channelId: string): Lookup<FileUrl> => {
    const held = byChannel.get(channelId);
    if (held !== undefined) return held;
    const lookup = new Lookup<FileUrl>({
      max: MAX_URLS,
      perCall: LIMITS.pageMaxItems,
      async load(fileIds) {
        const { urls } = await client.call("file.getUrls", { channelId, fileIds });
        return new Map(urls.map((url) => [url.fileId, url]));
      },
    });
    byChannel.set(channelId, lookup);
    return lookup;
  };
});

/**
 * Where an attachment can be read, renewed before it ends; undefined until it is known, or where there is no such file any more.
 * Many at once make one call.
 */
export function useFileUrl(channelId: string, fileId: string): FileUrl | undefined {
  const urls = urlsOf(useServerCache())(channelId);
  const url = useSyncExternalStore(urls.subscribe, () => urls.get(fileId));
  useEffect(() => {
    if (url === undefined) {
      urls.want(fileId);
      return undefined;
    }
    const leftMs = Date.parse(url.expiresAt) - Date.now() - EXPIRY_MARGIN_MS;
    const timer = setTimeout(() => urls.forget(fileId), Math.max(leftMs, 1000));
    return () => clearTimeout(timer);
  }, [urls, fileId, url]);
  return url;
}

export interface UploadOptions {
  onProgress?: (sentBytes: number) => void;
  /** Breaks the upload off; it then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Uploads a file for a message in a channel: give its id to `send` as one of `attachmentIds`.
 * @throws {FanfareError} what the server answered, or CONNECTION_LOST
 */
export function uploadFile(
  cache: ServerCache,
  channelId: string,
  file: File,
  options: UploadOptions = {},
): Promise<StoredFile> {
  const query = new URLSearchParams({ channelId, name: file.name });
  return upload(cache, `/api/file.upload?${query.toString()}`, file, options);
}

/** Uploads a picture for a profile or a group: give its id to `user.setAvatar` or `group.setIcon`. */
export function uploadPicture(
  cache: ServerCache,
  picture: Blob,
  options: UploadOptions = {},
): Promise<StoredFile> {
  return upload(cache, "/api/file.uploadPicture", picture, options);
}

async function upload(
  { client }: ServerCache,
  path: string,
  body: Blob,
  { onProgress, signal }: UploadOptions,
): Promise<StoredFile> {
  signal?.throwIfAborted();
  // Renews the token where it is about to end: the upload itself may last for long.
  await client.call("file.getUsage", {});
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", client.url + path);
    request.setRequestHeader("authorization", `Bearer ${client.tokens?.accessToken ?? ""}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.addEventListener("progress", ({ loaded }) => onProgress?.(loaded));
    request.addEventListener("load", () => {
      const answer = parse(request.responseText);
      if (answer?.ok === true) resolve(answer.data.file);
      else reject(answer === undefined ? lost() : new FanfareError(answer.error));
    });
    request.addEventListener("error", () => reject(lost()));
    request.addEventListener("abort", () => reject(signal?.reason as Error));
    signal?.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

function parse(text: string): WireAnswer<{ file: StoredFile }> | undefined {
  try {
    return JSON.parse(text) as WireAnswer<{ file: StoredFile }>;
  } catch {
    return undefined;
  }
}

function lost(): FanfareError {
  const message = "The upload was interrupted: the server cannot be reached.";
  return new FanfareError({ type: "CONNECTION_LOST", message, retryable: true, requestId: "" });
}
