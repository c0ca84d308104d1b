import { setTimeout as sleep } from "node:timers/promises";
import {
  CLUSTER_OPTIONS,
  fraction,
  integer,
  names,
  PAYLOAD_OPTIONS,
  RECEIVER_OPTIONS,
  time,
  USERS_OPTION,
  type OptionValues,
} from "../../cli/options.ts";
import type { ClusterSize } from "../../platform/platform.ts";
import { nowMs } from "../broadcast/clock.ts";
import type { SentMessages } from "../broadcast/sent-messages.ts";
import type { SdkMember } from "./storm-members.ts";

/**
 * `rolling`: gateways are stopped one after the other, drain, and restart. `kill`: kill -9 of one gateway.
 * `all`: kill -9 of all of them in the same instant, so that all clients reconnect at once.
 */
const FAULTS = ["rolling", "kill", "all"] as const;
export type Fault = (typeof FAULTS)[number];

export const STORM_OPTIONS = {
  ...CLUSTER_OPTIONS,
  gateways: { ...CLUSTER_OPTIONS.gateways, default: 2 },
  ...RECEIVER_OPTIONS,
  ...PAYLOAD_OPTIONS,
  users: USERS_OPTION,
  sdk: integer(
    "Receivers",
    "Users with the SDK, behind a load balancer; the others are light receivers",
    [1, 500],
    { default: 20 },
  ),
  senders: integer("Messages", "Number of SDK users who send", [1, 500], { default: 4 }),
  rate: fraction("Messages", "Messages per second in total", { default: 5, max: 1000 }),
  steadyMs: time("Messages", "Time without a fault, as the baseline", { default: "5s", minMs: 1000 }),
  faults: names("Server", "rolling: gateways restart one by one; kill: kill -9 of one; all: of all at once", {
    default: FAULTS.join(","),
    known: FAULTS,
  }),
  timeoutMs: time("Server", "How long to wait, per fault, until all have recovered", {
    default: "60s",
    minMs: 1000,
  }),
};

export interface StormPlan extends Omit<
  OptionValues<typeof STORM_OPTIONS>,
  "gateways" | "workers" | "connecting" | "threads"
> {
  /** undefined: a single instance. */
  cluster: ClusterSize | undefined;
  threads: number;
}

/** More than any storm sends, because memory is allocated beforehand. */
export function mostMessages({ faults, cluster, rate, steadyMs, timeoutMs }: StormPlan): number {
  const outages = faults.reduce(
    (sum, fault) => sum + (fault === "rolling" ? (cluster?.gateways ?? 1) : 1),
    0,
  );
  const ms = steadyMs + outages * (timeoutMs + START_MS + QUIET_MS);
  return Math.ceil((ms / 1000) * rate) + 1;
}

/** The time a gateway may take to stop and restart. */
const START_MS = 15_000;
/** Between two faults. */
export const QUIET_MS = 2000;

/** Slightly longer than the SDK's retries of a message. */
const SETTLE_MS = 75_000;

interface StormSenderOptions {
  messages: SentMessages;
  /** They take turns. */
  senders: readonly SdkMember[];
  /** How many members receive. */
  users: number;
  /** Messages per second. */
  rate: number;
  /** The limit in total. */
  most: number;
}

/**
 * Sends at a steady rate, even while servers are down: latency is measured from the intended instant.
 * @returns stops it, and waits, with a limit, until each message is acknowledged or has failed
 */
export function startSending(options: StormSenderOptions): () => Promise<void> {
  const { messages, senders, users, rate, most } = options;
  const stopping = new AbortController();
  const isRunning = () => !stopping.signal.aborted;
  const send = async () => {
    const startMs = nowMs();
    for (let i = 0; isRunning() && i < most; i++) {
      const intendedMs = startMs + (i * 1000) / rate;
      const waitMs = intendedMs - nowMs();
      if (waitMs > 0) await sleep(waitMs);
      if (isRunning()) messages.send(senders[i % senders.length]!, users, intendedMs);
    }
  };
  const sending = send();
  return async () => {
    stopping.abort();
    await sending;
    const timer = new AbortController();
    const late = sleep(SETTLE_MS, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([Promise.all(messages.all.map(({ settled }) => settled)), late]);
    timer.abort();
  };
}
