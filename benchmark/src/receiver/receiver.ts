import type { ChannelPosition } from "./channel-position.ts";

/** One member of the audience, to be connected. */
export interface Assignment {
  /** Its number in the run, from 0. */
  receiver: number;
  /** The access token for the CONNECT; null where the server asks for none. */
  credential: string | null;
  /** The loopback address to connect from; undefined: the system chooses. */
  localAddress: string | undefined;
  /** Which of the addresses of the platform it connects to. */
  server: number;
  /** Where it stands in the channel, when it is to ask for what it has missed; it is online once it has that. */
  position?: ChannelPosition;
}

/** What a receiver tells about itself. After `ended` it says nothing more. */
export interface ReceiverObserver {
  online(receiver: number): void;
  /**
   * Called when the messages are decoded. `sync`: they came because the receiver asked for what it had missed.
   * @param revs of each what the server numbers the changes of the channel with; 0: it does not
   */
  messages(receiver: number, indexes: readonly number[], by: "event" | "sync", revs: readonly number[]): void;
  resync(receiver: number): void;
  /** Its server is going away: connect to another one after a random part of this time. */
  draining(receiver: number, withinMs: number): void;
  ended(receiver: number, code: string): void;
}

export interface Receiver {
  /** Says goodbye; `ended` follows when the server has answered. */
  close(): void;
  /** Cuts the connection at once. */
  destroy(): void;
}

/** Begins to connect; the outcome goes to the observer. */
export type OpenReceiver = (assignment: Assignment, observer: ReceiverObserver) => Receiver;

export type ReceiverKind = "light" | "official";
