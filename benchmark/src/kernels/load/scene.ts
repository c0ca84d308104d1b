import type { Result } from "@fanfare/contract";
import { explain } from "../../targets/fanfare/explain.ts";
import { registerAll, type RegistrationResult } from "../../targets/registration.ts";
import type { LoadContext, LoadScene } from "./load.ts";
import type { Session } from "./session.ts";

export interface SceneChannel {
  id: string;
  /** A user with access to the channel. */
  reader: Session;
  /** Connections that get its messages, ascending: first those that only receive, then those that send. */
  connections: Int32Array;
}

/** Users and channels created for a run, and who sends what where. */
export interface Scene {
  size: LoadScene;
  registration: RegistrationResult;
  /** Tokens of users who only receive: connection 0, 1, … */
  receivers: readonly string[];
  /** Tokens of users who send, and receive too. */
  senders: readonly string[];
  channels: readonly SceneChannel[];
  /** @param turn how many messages this sender has sent before, approximately */
  channelOf(sender: number, turn: number): number;
  /** Removes everything that can be removed from a running server. */
  remove(): Promise<void>;
}

/** @returns the tokens and the user */
export function createGuest({ target, signal }: LoadContext): Promise<Result<"user.createGuest">> {
  return target.api.call("user.createGuest", {}, undefined, signal);
}

/** Runs a task this many times, with limited concurrency, and shows the progress. */
export function doAll<T>(
  { plan, progress, signal }: LoadContext,
  label: string,
  count: number,
  work: (index: number) => Promise<T>,
): ReturnType<typeof registerAll<T>> {
  return registerAll({ label, count, concurrency: plan.window, progress, signal }, work).catch(explain);
}
