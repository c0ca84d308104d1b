import { getHeapStatistics } from "node:v8";

/** Where the server listens: a unix domain socket, or TCP on loopback. */
export type ListenOptions =
  | { readonly socketPath?: string }
  | { readonly host?: string; readonly port: number };

export interface EmbeddedMongoOptions {
  /** Data folder; made, with mode 0700, when it does not exist. */
  readonly dir: string;
  /** Default: a unix domain socket in a private temporary folder (TCP on a free loopback port on Windows). */
  readonly listen?: ListenOptions;
  /**
   * Bound on the estimated memory of documents and indexes, in bytes. Beyond it writes that need more fail with code
   * 14031; reads and deletes go on. Default: half of the V8 heap limit of the thread, at most 2 GiB.
   */
  readonly maxDataBytes?: number;
  /**
   * Writes with `j: true` or `w: "majority"` are on disk when they are acknowledged. The others are with the operating
   * system by then (with `j: false`: in the memory of the server), and on disk this many milliseconds later. Default 100.
   */
  readonly syncIntervalMs?: number;
  /**
   * A snapshot is written, and the journal begun anew, when the journal is longer than this many bytes and longer than
   * the documents. Default 64 MiB.
   */
  readonly snapshotJournalBytes?: number;
  /** How often documents past their TTL are looked for, in milliseconds. Default 10,000. */
  readonly ttlIntervalMs?: number;
  /** An unused cursor ends after this many milliseconds. Default 600,000. */
  readonly cursorTimeoutMs?: number;
  /** Connections beyond this number are refused. Default 2,000. */
  readonly maxConnections?: number;
  /** Called once when the journal fails; the server is closed by then. Default: the error is thrown as uncaught. */
  readonly onFatal?: (error: Error) => void;
}

export type ResolvedOptions = Required<Omit<EmbeddedMongoOptions, "listen">> &
  Pick<EmbeddedMongoOptions, "listen">;

const MIB = 1024 * 1024;
const MAX_DEFAULT_DATA_BYTES = 2048 * MIB;

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

/** Fills in the defaults. @throws RangeError for a number out of range */
export function resolveOptions(options: EmbeddedMongoOptions): ResolvedOptions {
  const { heap_size_limit: heapLimit } = getHeapStatistics();
  if (typeof options.dir !== "string" || options.dir === "")
    throw new TypeError("dir must name the data folder");
  return {
    ...options,
    maxDataBytes: positive(
      "maxDataBytes",
      options.maxDataBytes ?? Math.min(heapLimit / 2, MAX_DEFAULT_DATA_BYTES),
    ),
    syncIntervalMs: positive("syncIntervalMs", options.syncIntervalMs ?? 100),
    snapshotJournalBytes: positive("snapshotJournalBytes", options.snapshotJournalBytes ?? 64 * MIB),
    ttlIntervalMs: positive("ttlIntervalMs", options.ttlIntervalMs ?? 10_000),
    cursorTimeoutMs: positive("cursorTimeoutMs", options.cursorTimeoutMs ?? 600_000),
    maxConnections: positive("maxConnections", options.maxConnections ?? 2_000),
    onFatal: options.onFatal ?? throwUncaught,
  };
}
