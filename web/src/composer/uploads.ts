import { randomId } from "@fanfare/client";
import type { Recording } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useSyncExternalStore } from "react";
import type { ServerCache } from "../data/cache.ts";
import { useServerCache } from "../data/data-context.ts";
import { perCache } from "../data/lookup.ts";
import { isErrorOf } from "../shared/use-action.ts";

export interface Upload {
  readonly id: string;
  readonly file: File;
  /** A local URL of the image or the recording; null for other files. */
  readonly previewUrl: string | null;
  /** Set for voice messages. */
  readonly recording: Recording | undefined;
  readonly state: "waiting" | "sending" | "done" | "failed";
  readonly sentBytes: number;
  /** Set when the upload is complete. */
  readonly fileId: string | null;
  readonly error: unknown;
}

export type RejectedFile =
  | { file: File; reason: "empty" | "tooMany" }
  | { file: File; reason: "tooLarge"; maxBytes: number };

/** Below the server's limit, so that the first files aren't slowed down by the rest. */
const MAX_CONCURRENT = 3;
/** An upload has its own connection, which can be lost while the client is online. */
const RETRY_MS = 5000;
const NONE: readonly Upload[] = [];
const NO_NAMES: readonly string[] = [];
/** In session storage: the names of unfinished files by channel. Their contents can't be kept, but the user can attach them again. */
const WAITING_KEY = "fanfare.uploads";

interface Waiting {
  userId: string;
  names: Record<string, string[]>;
}
const SHOWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** The files for each channel's next message. Uploads continue while other channels are shown. */
class Uploads {
  readonly #cache: ServerCache;
  readonly #byChannel = new Map<string, readonly Upload[]>();
  readonly #aborts = new Map<string, AbortController>();
  /** Uploads that were repeated once while the client was online: another failure is final. */
  readonly #repeated = new Set<string>();
  /** By what `take` returned, which failed messages keep until a reload. */
  readonly #taken = new WeakMap<readonly string[], readonly Upload[]>();
  readonly #listeners = new Set<() => void>();
  /** By channel: names of files that were lost when this tab was closed or reloaded. */
  readonly #lost: Map<string, readonly string[]>;
  /** Set by the server's first rejection. */
  #maxBytes = Infinity;

  constructor(cache: ServerCache) {
    this.#cache = cache;
    this.#lost = new Map(Object.entries(loadWaiting(cache.client.user?.id)));
    cache.client.on("connection.changed", ({ state }) => {
      if (state === "online") this.#retryLost();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  of(channelId: string): readonly Upload[] {
    return this.#byChannel.get(channelId) ?? NONE;
  }

  lostIn(channelId: string): readonly string[] {
    return this.#lost.get(channelId) ?? NO_NAMES;
  }

  forgetLost(channelId: string): void {
    this.#lost.delete(channelId);
    this.#changed();
  }

  /** Starts uploading files. Returns those that were rejected. */
  add(channelId: string, files: readonly File[], recording?: Recording): RejectedFile[] {
    const refused: RejectedFile[] = [];
    for (const file of files) {
      const uploads = this.of(channelId);
      if (file.size === 0) refused.push({ file, reason: "empty" });
      else if (uploads.length >= LIMITS.attachmentsPerMessage) refused.push({ file, reason: "tooMany" });
      else if (file.size > this.#maxBytes)
        refused.push({ file, reason: "tooLarge", maxBytes: this.#maxBytes });
      else this.#set(channelId, [...uploads, newUpload(file, recording)]);
    }
    this.#pump(channelId);
    return refused;
  }

  remove(channelId: string, uploadId: string): void {
    const upload = this.of(channelId).find(({ id }) => id === uploadId);
    if (upload === undefined) return;
    this.#aborts.get(uploadId)?.abort();
    this.#repeated.delete(uploadId);
    if (upload.previewUrl !== null) URL.revokeObjectURL(upload.previewUrl);
    this.#set(
      channelId,
      this.of(channelId).filter(({ id }) => id !== uploadId),
    );
    this.#pump(channelId);
  }

  retry(channelId: string, uploadId: string): void {
    this.#change(channelId, uploadId, { state: "waiting", error: null, sentBytes: 0 });
    this.#pump(channelId);
  }

  /** Resolves when no upload is in progress or will be retried; true if all files were uploaded. */
  async whenSettled(channelId: string): Promise<boolean> {
    const isBusy = (): boolean =>
      this.of(channelId).some(
        (upload) => upload.state === "waiting" || upload.state === "sending" || this.#willBeRepeated(upload),
      );
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (isBusy()) return;
        end();
        resolve();
      };
      const end = this.subscribe(look);
      look();
    });
    return this.of(channelId).every(({ state }) => state === "done");
  }

  /** Removes and returns the file IDs; they now belong to a message. */
  take(channelId: string): string[] {
    const uploads = this.of(channelId);
    for (const { previewUrl } of uploads) if (previewUrl !== null) URL.revokeObjectURL(previewUrl);
    this.#set(channelId, NONE);
    const fileIds = uploads.flatMap(({ fileId }) => fileId ?? []);
    this.#taken.set(fileIds, uploads);
    return fileIds;
  }

  /** The files of a message that this page has written. */
  filesOf(fileIds: readonly string[]): readonly Upload[] | undefined {
    return this.#taken.get(fileIds);
  }

  /** Restarts uploads that failed because the connection was lost. */
  #retryLost(): void {
    for (const [channelId, uploads] of this.#byChannel) {
      const lost = uploads.filter(isLost);
      for (const { id } of lost) {
        this.#repeated.delete(id);
        this.retry(channelId, id);
      }
    }
  }

  #willBeRepeated(upload: Upload): boolean {
    return isLost(upload) && (this.#cache.client.state !== "online" || !this.#repeated.has(upload.id));
  }

  /** Once, unless a reconnection does. */
  #repeatOnline(channelId: string, uploadId: string): void {
    setTimeout(() => {
      const upload = this.of(channelId).find(({ id }) => id === uploadId);
      if (upload === undefined || !this.#willBeRepeated(upload) || this.#cache.client.state !== "online")
        return;
      this.#repeated.add(uploadId);
      this.retry(channelId, uploadId);
    }, RETRY_MS);
  }

  #pump(channelId: string): void {
    const underWay = this.of(channelId).filter(({ state }) => state === "sending").length;
    const next = this.of(channelId).filter(({ state }) => state === "waiting");
    for (const upload of next.slice(0, Math.max(0, MAX_CONCURRENT - underWay)))
      void this.#send(channelId, upload);
  }

  async #send(channelId: string, { id, file, recording }: Upload): Promise<void> {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    this.#change(channelId, id, { state: "sending" });
    try {
      const stored = await this.#cache.client.upload(channelId, shortName(file.name), file, {
        signal: abort.signal,
        ...(recording !== undefined && { recording }),
        onProgress: ({ sentBytes }) => this.#change(channelId, id, { sentBytes }),
      });
      this.#change(channelId, id, { state: "done", fileId: stored.fileId, sentBytes: file.size });
    } catch (error) {
      const maxBytes = maxBytesOf(error);
      if (maxBytes !== null) this.#maxBytes = maxBytes;
      this.#change(channelId, id, { state: "failed", error });
      if (isErrorOf(error, "CONNECTION_LOST")) this.#repeatOnline(channelId, id);
    } finally {
      this.#aborts.delete(id);
      this.#pump(channelId);
    }
  }

  #change(channelId: string, uploadId: string, changes: Partial<Upload>): void {
    const uploads = this.of(channelId);
    if (!uploads.some(({ id }) => id === uploadId)) return;
    this.#set(
      channelId,
      uploads.map((upload) => (upload.id === uploadId ? { ...upload, ...changes } : upload)),
    );
  }

  #set(channelId: string, uploads: readonly Upload[]): void {
    if (uploads.length === 0) this.#byChannel.delete(channelId);
    else this.#byChannel.set(channelId, uploads);
    this.#changed();
  }

  #changed(): void {
    const names: Record<string, string[]> = {};
    for (const [channelId, lost] of this.#lost) names[channelId] = [...lost];
    for (const [channelId, uploads] of this.#byChannel)
      names[channelId] = [...(names[channelId] ?? []), ...uploads.map(({ file }) => file.name)];
    saveWaiting({ userId: this.#cache.client.user?.id ?? "", names });
    for (const listener of this.#listeners) listener();
  }
}

function isLost({ error }: Upload): boolean {
  return isErrorOf(error, "CONNECTION_LOST");
}

function loadWaiting(userId: string | undefined): Waiting["names"] {
  try {
    const waiting = JSON.parse(sessionStorage.getItem(WAITING_KEY) ?? "null") as Waiting | null;
    return waiting !== null && waiting.userId === userId ? waiting.names : {};
  } catch {
    return {};
  }
}

function saveWaiting(waiting: Waiting): void {
  try {
    if (Object.keys(waiting.names).length === 0) sessionStorage.removeItem(WAITING_KEY);
    else sessionStorage.setItem(WAITING_KEY, JSON.stringify(waiting));
  } catch {
    // Browser storage is unavailable.
  }
}

export const uploadsOf = perCache((cache) => new Uploads(cache));

interface ChannelUploads {
  uploads: readonly Upload[];
  /** Names of files that have to be attached again. */
  lost: readonly string[];
  store: Uploads;
}

/** For files that aren't chosen in the composer of an open channel. */
export function useUploadStore(): Uploads {
  return uploadsOf(useServerCache());
}

export function useUploads(channelId: string): ChannelUploads {
  const store = useUploadStore();
  const uploads = useSyncExternalStore(store.subscribe, () => store.of(channelId));
  const lost = useSyncExternalStore(store.subscribe, () => store.lostIn(channelId));
  return { uploads, lost, store };
}

export function maxBytesOf(error: unknown): number | null {
  if (!isErrorOf(error, "FILE_TOO_LARGE")) return null;
  const { maxBytes } = (error.data ?? {}) as { maxBytes?: unknown };
  return typeof maxBytes === "number" ? maxBytes : null;
}

function newUpload(file: File, recording: Recording | undefined): Upload {
  return {
    id: randomId(),
    file,
    recording,
    previewUrl: recording !== undefined || SHOWN.test(file.type) ? URL.createObjectURL(file) : null,
    state: "waiting",
    sentBytes: 0,
    fileId: null,
    error: null,
  };
}

/** Shortens a long name in the middle, because its end has the extension. */
function shortName(name: string): string {
  if (name.length <= LIMITS.fileNameMaxChars) return name;
  const half = Math.floor(LIMITS.fileNameMaxChars / 2);
  return `${name.slice(0, half)}${name.slice(-half)}`;
}
