/** Where the server listens: a unix domain socket, or TCP on loopback. */
export type ListenOptions =
  | { readonly socketPath?: string }
  | { readonly host?: string; readonly port: number };

export interface EmbeddedMongoOptions {
  /** Data folder; created with mode 0700 if it doesn't exist. */
  readonly dir: string;
  /** Default: a unix domain socket in a private temporary folder (TCP on a free loopback port on Windows). */
  readonly listen?: ListenOptions;
  /**
   * Maximum size of the data file in bytes. At the limit, and when the disk is full, writes fail with code 14031, but reads still
   * work. Default: none.
   */
  readonly maxDataBytes?: number;
  /**
   * Sync interval in milliseconds. Writes with `j: true` or `w: "majority"` are on disk when they are acknowledged; others are only
   * passed to the operating system, and synced within this time. Default: 100.
   */
  readonly syncIntervalMs?: number;
  /** How often expired documents are deleted, in milliseconds. Default: 10,000. */
  readonly ttlIntervalMs?: number;
  /** Idle timeout of cursors in milliseconds. Default: 600,000. */
  readonly cursorTimeoutMs?: number;
  /** Called with the progress when a folder of an older version is converted during startup. */
  readonly onProgress?: (message: string) => void;
  /** Called once if the disk fails, after the server was closed. Default: throws an uncaught exception. */
  readonly onFatal?: (error: Error) => void;
}

export type ResolvedOptions = Required<Omit<EmbeddedMongoOptions, "listen" | "maxDataBytes">> &
  Pick<EmbeddedMongoOptions, "listen" | "maxDataBytes">;

function throwUncaught(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}

function positive(name: string, value: number): number {
  if (!Number.isFinite(value) || value <= 0)
    throw new RangeError(`${name} must be a number above 0, got ${value}`);
  return value;
}

/** Applies the defaults. @throws RangeError if a number is out of range */
export function resolveOptions(options: EmbeddedMongoOptions): ResolvedOptions {
  if (typeof options.dir !== "string" || options.dir === "")
    throw new TypeError("dir must name the data folder");
  if (options.maxDataBytes !== undefined) positive("maxDataBytes", options.maxDataBytes);
  return {
    ...options,
    syncIntervalMs: positive("syncIntervalMs", options.syncIntervalMs ?? 100),
    ttlIntervalMs: positive("ttlIntervalMs", options.ttlIntervalMs ?? 10_000),
    cursorTimeoutMs: positive("cursorTimeoutMs", options.cursorTimeoutMs ?? 600_000),
    onProgress: options.onProgress ?? (() => {}),
    onFatal: options.onFatal ?? throwUncaught,
  };
}
