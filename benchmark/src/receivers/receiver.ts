import { nowMs } from "../kernels/broadcast/clock.ts";
import type { Dialect } from "../targets/plugin.ts";
import type { ChannelPosition } from "./catch-up.ts";
import type { Answer } from "./packet.ts";
import type { ArrivedBy } from "./tally.ts";

/** A member of the audience, to be connected. */
export interface Assignment {
  /** Its number in the run, from 0. */
  receiver: number;
  /** The access token for the CONNECT; null if the server requires none. */
  credential: string | null;
  /** The loopback address to connect from; undefined: the system chooses. */
  localAddress: string | undefined;
  /** Index of the platform's address it connects to. */
  server: number;
  /** Its position in the channel, if it is to fetch what it has missed; it counts as online once it has that. */
  position?: ChannelPosition;
}

/** Callbacks of a receiver. None is called after `ended`; absent ones are of no interest. */
export interface ReceiverObserver {
  online(receiver: number): void;
  /**
   * Called when the messages are decoded. `sync`: the receiver fetched what it had missed.
   * @param revs the revision of each in the channel; 0: none
   */
  messages?(receiver: number, indexes: readonly number[], by: ArrivedBy, revs: readonly number[]): void;
  resync?(receiver: number): void;
  /** Its server is going away: reconnect to another one after a random part of this time. */
  draining?(receiver: number, withinMs: number): void;
  /** The answer to a call of a member that also sends. */
  answered?(answer: Answer): void;
  ended(receiver: number, code: string): void;
}

export interface Receiver {
  /** Starts the closing handshake; `ended` follows when the server has answered. */
  close(): void;
  /** Resets the connection at once. */
  destroy(): void;
}

/** Starts to connect; the outcome goes to the observer. */
export type OpenReceiver = (assignment: Assignment, observer: ReceiverObserver) => Receiver;

/** What receivers of all kinds need. */
export interface ReceiverOptions<D = Dialect> {
  urls: readonly URL[];
  dialect: D;
  runId: string;
  /** Called in every turn of the event loop with a read. */
  onRead?: () => void;
}

export type ReceiverKind = "light" | "official";

/** Ends a connection once, and reports that unless it is destroyed. */
export function ending(receiver: number, observer: ReceiverObserver, stop: () => void) {
  let hasEnded = false;
  const destroy = () => {
    hasEnded = true;
    stop();
  };
  const end = (code: string) => {
    if (hasEnded) return;
    destroy();
    observer.ended(receiver, code);
  };
  return { end, destroy, hasEnded: () => hasEnded };
}

/** The same as the SDK's: a random time in the upper half of a limit that doubles with each failure. */
const BACKOFF = { baseMs: 1000, maxMs: 15_000 };

/** When and where receivers reconnect after losing their connection, like the SDK: with jitter, and to another server. */
export class Roaming {
  readonly #servers: number;
  readonly #moveAtMs = new Map<number, number>();

  /** @param servers how many there are to choose from */
  constructor(servers: number) {
    this.#servers = servers;
  }

  /** @returns after how long the receiver leaves the server that is going away */
  drain(receiver: number, withinMs: number): number {
    const waitMs = Math.random() * withinMs;
    this.#moveAtMs.set(receiver, nowMs() + waitMs);
    return waitMs;
  }

  /** @param failures failed attempts since the connection was lost */
  waitMs(receiver: number, failures: number): number {
    const moveAtMs = this.#moveAtMs.get(receiver);
    this.#moveAtMs.delete(receiver);
    // The time to move is random already.
    if (moveAtMs !== undefined) return Math.max(0, moveAtMs - nowMs());
    const boundMs = Math.min(BACKOFF.maxMs, BACKOFF.baseMs * 2 ** failures);
    return boundMs / 2 + (Math.random() * boundMs) / 2;
  }

  /** Any server except the one that was lost, if there are several. */
  elsewhere(assignment: Assignment): Assignment {
    if (this.#servers === 1) return assignment;
    const step = 1 + Math.floor(Math.random() * (this.#servers - 1));
    return { ...assignment, server: (assignment.server + step) % this.#servers };
  }
}
