import type { Progress } from "../../report/progress.ts";
import type { MetricValues } from "../../report/metric.ts";
import type { Distribution, ErrorRow } from "../../report/result.ts";
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
  target: Pick<FanfareTarget, "name" | "urls" | "dialect" | "isThrowaway" | "usage" | "cpuSeconds">;
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

/** Taken about every second, over the time since the last one. */
export interface LoadSample {
  /** Since the first intended request. */
  atMs: number;
  acknowledged: number;
  received: number;
  cpuSeconds: number | null;
  rssBytes: number | null;
  eventLoopMaxMs: number | null;
}

/** The measurement of every load command. */
export interface LoadMeasurement {
  target: { name: string; url: string; isThrowaway: boolean };
  plan: LoadPlan;
  scene: LoadScene;
  /** Requests before the measured ones, and in none of the figures. */
  warmUp: number;
  values: MetricValues;
  distributions: Distribution[];
  samples: LoadSample[];
  /** What distorts the figures through no fault of the server. */
  verdicts: string[];
  errors: ErrorRow[];
}
