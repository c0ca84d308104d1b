import type { Socket } from "socket.io";
import type { Bus } from "./bus/bus.ts";
import { checkedPrefix } from "./bus/subjects.ts";

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
  /** Event without payload, sent to sockets that missed broadcasts and must fetch the state again. Default "resync". */
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

/**
 * What became of a message of the bus for sockets: it had receivers here (`members`); the room had no sockets left, and
 * its subscription not yet ended (`lingering`); it went to more servers than those with receivers, as what is for a socket
 * by its id does, and what follows a `socketsJoin` within two seconds (`elsewhere`); another copy had come before (`repeated`); or it should not have come (`stray`).
 */
export type Reception = "members" | "lingering" | "elsewhere" | "repeated" | "stray";

/**
 * Why sockets have to fetch the state again: the bus was interrupted, a caller used `publishResync`, or
 * `socketsJoin` took them into a room that this server had not subscribed to, so that what others published in that
 * moment may be missing.
 */
export type ResyncReason = "interrupted" | "requested" | "joined";

export interface BusAdapterOptions {
  /** Carries everything between the servers, and from emitters to them. Without a bus the adapter is for one server. */
  bus?: Bus;
  /** First words of all subjects; processes with the same prefix and namespace form one cluster. Default "fanfare". */
  prefix?: string;
  /** Milliseconds that the subscription to a room outlives its last member here. Default 5,000. */
  lingerMs?: number;
  /** Milliseconds between two heartbeats of a server. Default 1,000. */
  heartbeatIntervalMs?: number;
  /** Milliseconds without a heartbeat after which a server counts as gone. Default 4,000. */
  heartbeatTimeoutMs?: number;
  /** Called instead of sending `resyncEvent` when the bus may have lost something; null stands for all sockets. */
  onResync?: (sockets: readonly Socket[] | null, reason: ResyncReason) => void;
  /** Called for each message of the bus for sockets. */
  onReceived?: (reception: Reception, bytes: number) => void;
  /** Called for each publication with the number of its copies (one per subject) and their size in bytes. */
  onPublished?: (copies: number, bytes: number) => void;
  /** Called with the number of rooms subscribed to when it has changed. */
  onSubscriptions?: (count: number) => void;
  /** Called for messages of the bus that cannot be parsed; they are skipped. */
  onBusError?: (error: Error) => void;
}

export interface ResolvedBusOptions extends BusAdapterOptions {
  readonly bus: Bus;
  readonly prefix: string;
  readonly lingerMs: number;
  readonly heartbeatIntervalMs: number;
  readonly heartbeatTimeoutMs: number;
}

/** @throws RangeError for an option out of range. */
export function resolveBusOptions(options: BusAdapterOptions & { bus: Bus }): ResolvedBusOptions {
  const { lingerMs = 5000, heartbeatIntervalMs = 1000, heartbeatTimeoutMs = 4000 } = options;
  if (!(lingerMs >= 0)) throw new RangeError(`lingerMs must be a number of at least 0, got ${lingerMs}.`);
  if (!(heartbeatIntervalMs > 0 && heartbeatTimeoutMs > heartbeatIntervalMs)) {
    throw new RangeError(
      `heartbeatTimeoutMs (${heartbeatTimeoutMs}) must be above heartbeatIntervalMs (${heartbeatIntervalMs}), and that above 0.`,
    );
  }
  const prefix = checkedPrefix(options.prefix ?? "fanfare");
  return { ...options, prefix, lingerMs, heartbeatIntervalMs, heartbeatTimeoutMs };
}
