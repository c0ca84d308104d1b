import type { RegistrationResult } from "../targets/registration.ts";
import type { LoadScene } from "./load-result.ts";
import type { Session } from "./session.ts";

export interface SceneChannel {
  id: string;
  /** Somebody who may read it. */
  reader: Session;
  /** Connections that get its messages, ascending: those that only receive come first, then those that send. */
  connections: Int32Array;
}

/** Users and channels that were made for a run, and who sends what where. */
export interface Scene {
  size: LoadScene;
  registration: RegistrationResult;
  /** Tokens of those who only receive: connection 0, 1, … */
  receivers: readonly string[];
  /** Tokens of those who send, and receive too. */
  senders: readonly string[];
  channels: readonly SceneChannel[];
  /** @param turn how many messages this sender has sent before, at least about */
  channelOf(sender: number, turn: number): number;
  /** Removes from somebody's server what can be removed. */
  remove(): Promise<void>;
}
