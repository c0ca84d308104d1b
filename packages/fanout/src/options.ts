import type { Socket } from "socket.io";
import { type Bus, checkedPrefix } from "./bus/bus.ts";

/** The cost of publications to one room. */
export interface BroadcastStats {
  /** The target room, the first of several, or "" for all sockets of the namespace. */
  room: string;
  /** The number of publications that were sent together, at least 1. */
  publications: number;
  /** The number of receiving sockets. */
  sockets: number;
  /** Bytes written to each of them. */
  bytes: number;
  /**
   * From the first publication until the write to the last socket of this process, in milliseconds. Includes the transport by the
   * bus; between machines, as exact as their clocks are synchronized, but never less than the local part.
   */
  durationMs: number;
  /** The results of `traceOf` for these publications; absent for publications that aren't traced. */
  traces: readonly string[];
}

export interface FanoutAdapterOptions {
  /**
   * Limit of a connection's user-space send buffer in bytes. Beyond it a socket is slow: broadcasts are skipped and reading is paused
   * until the buffer has drained. Then it receives `resyncEvent` if it missed a broadcast, and broadcasts again. The connection's own
   * high-water mark (64 KiB) is the minimum. Default: 1 MiB.
   */
  maxBufferedBytes?: number;
  /** A slow socket that accepts no byte for this time is closed, in milliseconds. Default: 20,000. */
  stallTimeoutMs?: number;
  /** Event without payload for sockets that missed broadcasts and must fetch the state again. Default: "resync". */
  resyncEvent?: string;
  /** Number of sockets to write to before yielding to the event loop. `Infinity` writes to all in one turn. Default: 500. */
  socketsPerSlice?: number;
  /** Called once each time a socket becomes slow. */
  onSlow?: (socket: Socket) => void;
  /** Called when a socket is closed after `stallTimeoutMs`. */
  onStalled?: (socket: Socket) => void;
  /** Called after a publication was written to its last socket. */
  onBroadcast?: (stats: BroadcastStats) => void;
  /**
   * Called for each publication; the result, such as a W3C `traceparent`, is passed unchanged to `onBroadcast` on every server.
   */
  traceOf?: () => string | undefined;
}

export interface ResolvedOptions {
  readonly maxBufferedBytes: number;
  readonly stallTimeoutMs: number;
  readonly resyncEvent: string;
  readonly socketsPerSlice: number;
  readonly onSlow: ((socket: Socket) => void) | undefined;
  readonly onStalled: ((socket: Socket) => void) | undefined;
  readonly onBroadcast: ((stats: BroadcastStats) => void) | undefined;
  readonly traceOf: (() => string | undefined) | undefined;
}

const positive = (name: string, value: number): number => {
  if (!(value > 0)) throw new RangeError(`${name} must be a number above 0, got ${value}.`);
  return value;
};

/** Reserved by Socket.IO. */
const RESERVED_EVENTS = new Set([
  "connect",
  "connect_error",
  "disconnect",
  "disconnecting",
  "newListener",
  "removeListener",
]);

const eventName = (name: string, value: string): string => {
  if (value === "" || RESERVED_EVENTS.has(value)) {
    throw new RangeError(`${name} must be an event name that Socket.IO does not use itself, got "${value}".`);
  }
  return value;
};

/** @throws RangeError if an option is out of range. */
export function resolveOptions(options: FanoutAdapterOptions): ResolvedOptions {
  return {
    maxBufferedBytes: positive("maxBufferedBytes", options.maxBufferedBytes ?? 1_048_576),
    stallTimeoutMs: positive("stallTimeoutMs", options.stallTimeoutMs ?? 20_000),
    resyncEvent: eventName("resyncEvent", options.resyncEvent ?? "resync"),
    socketsPerSlice: positive("socketsPerSlice", options.socketsPerSlice ?? 500),
    onSlow: options.onSlow,
    onStalled: options.onStalled,
    onBroadcast: options.onBroadcast,
    traceOf: options.traceOf,
  };
}

/**
 * How a bus message for sockets was received:
 * - `members`: this server has receivers.
 * - `lingering`: the room has no sockets here any more, but its subscription hasn't ended yet.
 * - `elsewhere`: it was sent to more servers than those with receivers: by socket id, or within two seconds of a `socketsJoin`.
 * - `repeated`: another copy was received before.
 * - `stray`: it should not have been received.
 */
export type Reception = "members" | "lingering" | "elsewhere" | "repeated" | "stray";

/**
 * Why sockets must fetch the state again: the bus was interrupted, a publisher may have lost messages, or `socketsJoin` added them to a room
 * that this server was not subscribed to yet, so that concurrent publications may have been missed.
 */
export type ResyncReason = "interrupted" | "requested" | "joined";

export interface BusAdapterOptions {
  /** Transport between servers and from emitters. Without a bus, the adapter is for a single server. */
  bus?: Bus;
  /** Prefix of all subjects; processes with the same prefix and namespace form a cluster. Default: "fanfare". */
  prefix?: string;
  /** How long the subscription to a room is kept after its last local member has left, in milliseconds. Default: 5,000. */
  lingerMs?: number;
  /** Called, instead of sending `resyncEvent`, when messages may have been lost; null: for all sockets. */
  onResync?: (sockets: readonly Socket[] | null, reason: ResyncReason) => void;
  /** Called for each bus message for sockets. */
  onReceived?: (reception: Reception, bytes: number) => void;
  /** Called for each publication with the number of copies (one per subject) and their size in bytes. */
  onPublished?: (copies: number, bytes: number) => void;
  /** Called with the number of subscribed rooms when it changes. */
  onSubscriptions?: (count: number) => void;
  /** Called for bus messages that can't be parsed and are skipped. */
  onBusError?: (error: Error) => void;
}

export interface ResolvedBusOptions extends BusAdapterOptions {
  readonly bus: Bus;
  readonly prefix: string;
  readonly lingerMs: number;
}

/** @throws RangeError if an option is out of range. */
export function resolveBusOptions(options: BusAdapterOptions & { bus: Bus }): ResolvedBusOptions {
  const { lingerMs = 5000 } = options;
  if (!(lingerMs >= 0)) throw new RangeError(`lingerMs must be a number of at least 0, got ${lingerMs}.`);
  const prefix = checkedPrefix(options.prefix ?? "fanfare");
  return { ...options, prefix, lingerMs };
}
