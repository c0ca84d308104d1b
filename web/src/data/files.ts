import type { FileUrl } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useEffect } from "react";
import type { ServerCache } from "./cache.ts";
import { useServerCache } from "./data-context.ts";
import { useLive } from "./frames.ts";
import { Lookup, perCache, PerChannel } from "./lookup.ts";

const MAX_URLS = 1000;
/** URLs are renewed this long before they expire, so that they stay valid during a download. */
const EXPIRY_MARGIN_MS = 30_000;

const urlsOf = perCache(
  ({ client }) =>
    new PerChannel(
      (channelId) =>
        new Lookup<FileUrl>({
          max: MAX_URLS,
          perCall: LIMITS.pageMaxItems,
          async load(fileIds) {
            const { urls } = await client.call("file.getUrls", { channelId, fileIds });
            return new Map(urls.map((url) => [url.fileId, url]));
          },
        }),
    ),
);

/**
 * The URL of an attachment, renewed before it expires; undefined while loading or if the file doesn't exist. Concurrent requests are
 * batched.
 */
export function useFileUrl(channelId: string, fileId: string): FileUrl | undefined {
  const urls = urlsOf(useServerCache()).of(channelId);
  const url = useLive(urls, () => urls.get(fileId));
  useEffect(() => {
    if (url === undefined) {
      urls.request(fileId);
      return undefined;
    }
    const leftMs = Date.parse(url.expiresAt) - Date.now() - EXPIRY_MARGIN_MS;
    const timer = setTimeout(() => urls.evict(fileId), Math.max(leftMs, 1000));
    return () => clearTimeout(timer);
  }, [urls, fileId, url]);
  return url;
}

/** Requests the URLs that couldn't be loaded, such as without a connection. */
export function retryFileUrls(cache: ServerCache): void {
  for (const urls of urlsOf(cache).all()) urls.retry();
}
