import type { ChannelPosition } from "./channel-position.ts";

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
  /**
   * Its position in the channel, if it is to fetch what it has missed; it counts as online once it has that.
   */
  position?: ChannelPosition;
}

/** Callbacks of a receiver. None is called after `ended`. */
export interface ReceiverObserver {
  online(receiver: number): void;
  /**
   * Called when the messages are decoded. `sync`: the receiver fetched what it had missed.
   * @param revs the revision of each in the channel; 0: none
   */
  messages(receiver: number, indexes: readonly number[], by: "event" | "sync", revs: readonly number[]): void;
  resync(receiver: number): void;
  /** Its server is going away: reconnect to another one after a random part of this time. */
  draining(receiver: number, withinMs: number): void;
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

export type ReceiverKind = "light" | "official";
