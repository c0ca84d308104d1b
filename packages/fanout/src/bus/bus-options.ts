import type { Socket } from "socket.io";
import type { FanoutBus } from "./bus.ts";
import { checkedPrefix } from "./subjects.ts";

/**
 * What became of a message of the bus for sockets: it had receivers here (`members`); nobody was left in the room, and
 * its subscription not yet ended (`lingering`); it went to more servers than those with receivers, as what is for a socket
 * by its id does, and what follows a `socketsJoin` within two seconds (`elsewhere`); another copy had come before (`repeated`); or it should not have come (`stray`).
 */
export type Reception = "members" | "lingering" | "elsewhere" | "repeated" | "stray";

/**
 * Why sockets have to fetch the state anew: the bus was interrupted, somebody asked for it with `publishResync`, or
 * `socketsJoin` took them into a room that this server had not subscribed to, so that what others published in that
 * moment may be missing.
 */
export type ResyncReason = "interrupted" | "requested" | "joined";

export interface BusAdapterOptions {
  /** Carries everything between the servers, and from emitters to them. Without a bus the adapter is for one server. */
  bus?: FanoutBus;
  /** First words of all subjects; whoever has the same, and the same namespace, belongs together. Default "fanfare". */
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
  /** Told about messages of the bus that cannot be understood; they are skipped. */
  onBusError?: (error: Error) => void;
}

export interface ResolvedBusOptions extends BusAdapterOptions {
  readonly bus: FanoutBus;
  readonly prefix: string;
  readonly lingerMs: number;
  readonly heartbeatIntervalMs: number;
  readonly heartbeatTimeoutMs: number;
}

/** @throws RangeError for an option out of range. */
export function resolveBusOptions(options: BusAdapterOptions & { bus: FanoutBus }): ResolvedBusOptions {
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
