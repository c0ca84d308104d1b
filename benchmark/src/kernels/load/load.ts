import type { Progress } from "../../report/progress.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import type { ErrorTable } from "../broadcast/error-table.ts";
import type { RequestLoop } from "../requests/request-threads.ts";

/** Options common to all load runs. Durations in milliseconds. */
export interface LoadPlan {
  loop: RequestLoop;
  /** Requests before the measured ones; never more than these. */
  warmUp: number;
  /** When an unanswered request times out, and when waiting for deliveries ends. */
  timeoutMs: number;
  payloadBytes: number;
  /** Concurrent registrations and connection attempts. */
  window: number;
  napMs: number;
  /** Threads that send, and threads for users who only receive. */
  sendingThreads: number;
  receivingThreads: number;
}

/** The resources of a load command. */
export interface LoadContext {
  target: Pick<FanfareTarget, "name" | "urls" | "dialect" | "isThrowaway" | "usage" | "cpuSeconds" | "api">;
  plan: LoadPlan;
  progress: Progress;
  errors: ErrorTable;
  signal: AbortSignal;
}

/** The participants. */
export interface LoadScene {
  /** Users, online or not. */
  users: number;
  /** Connections that send. */
  senders: number;
  /** All receiving connections, including those that send; 0: no one receives. */
  online: number;
  channels: number;
  /** The number of groups, and of members in each; null without groups. */
  groups: number | null;
  members: number | null;
}
