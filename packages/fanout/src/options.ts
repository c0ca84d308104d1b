import type { Socket } from "socket.io";

/** What one publication cost. */
export interface BroadcastStats {
  /** The room published to, the first one of several, or "" when it went to every socket of the namespace. */
  room: string;
  /** Publications to this room that left together, at least 1. */
  publications: number;
  /** Sockets addressed. */
  sockets: number;
  /** Bytes written to each of them. */
  bytes: number;
  /**
   * From the first of these publications until the last socket of this process was written to, in milliseconds. With a bus the way
   * from the publishing process is part of it: between machines as exact as their clocks agree, and never less than it took here.
   */
  durationMs: number;
  /** What `traceOf` said of these publications where they were published; of most it may have said nothing. */
  traces: readonly string[];
}

export interface FanoutAdapterOptions {
  /**
   * Bytes that may wait in one connection's user-space send buffer. With more than that a socket is slow: it gets no
   * broadcasts and nothing is read from it until the buffer has drained, then `resyncEvent` if it missed a broadcast, then
   * broadcasts again. Never less than the connection's own high-water mark (64 KiB). Default 1 MiB.
   */
  maxBufferedBytes?: number;
  /** Milliseconds after which a slow socket is closed that has not taken a single byte in that time. Default 20,000. */
  stallTimeoutMs?: number;
  /** Event, without payload, that tells a socket that it missed broadcasts and must fetch the state anew. Default "resync". */
  resyncEvent?: string;
  /** Sockets written to before the event loop gets its turn. Default 500. `Infinity` writes all of them at once. */
  socketsPerSlice?: number;
  /** Called once each time a socket becomes slow. */
  onSlow?: (socket: Socket) => void;
  /** Called when a socket is closed after `stallTimeoutMs`. */
  onStalled?: (socket: Socket) => void;
  /** Called when a publication has been written to its last socket. */
  onBroadcast?: (stats: BroadcastStats) => void;
  /**
   * Asked once for each publication: what it says goes along, as it is, to the `onBroadcast` of every server. Such as a W3C
   * `traceparent`.
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

/** Socket.IO refuses to emit these. */
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

/** @throws RangeError for an option out of range. */
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
