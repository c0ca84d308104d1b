import type { UploadOptions } from "@fanfare/client";
import type { FileUrl, StoredFile } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useEffect, useSyncExternalStore } from "react";
import type { ServerCache } from "./cache.ts";
import { useServerCache } from "./data-context.ts";
import { Lookup, perCache, PerChannel } from "./lookup.ts";

const MAX_URLS = 1000;
/** An address is asked for anew this long before it ends, so that it does not end on its way. */
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
 * Where an attachment can be read, renewed before it ends; undefined until it is known, or where there is no such file any more.
 * Many at once make one call.
 */
export function useFileUrl(channelId: string, fileId: string): FileUrl | undefined {
  const urls = urlsOf(useServerCache()).of(channelId);
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

/**
 * Uploads a file for a message in a channel: give its `fileId` to `send` as one of `attachmentIds`.
 * @throws {FanfareError} as `client.upload`; what the signal was aborted with
 */
export function uploadFile(
  { client }: ServerCache,
  channelId: string,
  file: File,
  options: UploadOptions = {},
): Promise<StoredFile> {
  return client.upload(channelId, file.name, file, options);
}

/** Uploads a picture for a profile or a group: give its `fileId` to `user.setAvatar` or `group.setIcon`. */
export function uploadPicture(
  { client }: ServerCache,
  picture: Blob,
  options: UploadOptions = {},
): Promise<StoredFile> {
  return client.uploadPicture(picture, options);
}
