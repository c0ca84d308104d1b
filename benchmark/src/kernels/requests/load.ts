import type { RunTools } from "../../cli/scenario.ts";
import { explain } from "../../targets/fanfare/api.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { registerGuests } from "../../targets/fanfare/meeting.ts";
import { registerAll } from "../../targets/registration.ts";
import type { RequestLoop } from "./request-threads.ts";

/** Options common to all load runs. Durations in milliseconds. */
export interface LoadPlan {
  loop: RequestLoop;
  /** Requests before the measured ones; never more than these. */
  warmUp: number;
  /** When an unanswered request times out, and when waiting for deliveries ends. */
  timeoutMs: number;
  payloadBytes: number;
  connecting: number;
  napMs: number;
  /** Threads that send, and threads for users who only receive. */
  sendingThreads: number;
  receivingThreads: number;
}

/** The resources of a load command. */
export interface LoadContext extends RunTools {
  target: FanfareTarget;
  plan: LoadPlan;
}

/** The participants. */
export interface LoadScene {
  /** Users, online or not. */
  users: number;
  /** Connections that send. */
  senders: number;
  /** All receiving connections, including those that send; absent: no one receives. */
  online?: number;
  channels?: number;
  /** The number of groups, and of members in each. */
  groups?: number;
  members?: number;
}

/** Runs a task this many times, with limited concurrency, and shows the progress. */
export function doAll<T>(
  { plan, progress, signal }: LoadContext,
  label: string,
  count: number,
  work: (index: number) => Promise<T>,
): ReturnType<typeof registerAll<T>> {
  return registerAll({ label, count, concurrency: plan.connecting, progress, signal }, work).catch(explain);
}

/** Guests who join the groups of these invites. */
export function loadGuests(
  { target, plan, progress, signal }: LoadContext,
  count: number,
  codes: readonly string[] = [],
) {
  return registerGuests(target.api, codes, { count, concurrency: plan.connecting, progress, signal });
}
