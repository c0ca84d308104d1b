import {
  CLUSTER_OPTIONS,
  fraction,
  integer,
  PAYLOAD_OPTIONS,
  RECEIVER_OPTIONS,
  time,
  type OptionValues,
} from "../../cli/options.ts";
import type { ClusterSize } from "../../platform/platform.ts";

/** Upper bound of the rate, because memory is allocated beforehand. */
export const MOST_PER_SECOND = 60_000;

export const OVERLOAD_OPTIONS = {
  ...CLUSTER_OPTIONS,
  ...RECEIVER_OPTIONS,
  ...PAYLOAD_OPTIONS,
  users: integer("Receivers", "Members who are online and receive", [1, 100_000], {
    alias: "u",
    default: 100,
  }),
  senders: integer("Messages", "Additional members who send", [1, 1000], { default: 50 }),
  stalled: integer(
    "Receivers",
    "Additional members with a hung client: an open connection that is never read",
    [0, 1000],
    { default: 1 },
  ),
  durationMs: time("Messages", "How long the overload lasts; no other phase lasts longer", {
    default: "60s",
    minMs: 1000,
    maxMs: 600_000,
  }),
  factor: fraction("Messages", "Multiple of the capacity to send", { default: 2, max: 100 }),
  capacity: integer("Messages", "The server's capacity in messages per second; default: measure it first", [
    1,
    MOST_PER_SECOND,
  ]),
};

export interface OverloadPlan extends Omit<OptionValues<typeof OVERLOAD_OPTIONS>, "threads"> {
  /** undefined: a single instance. */
  cluster: ClusterSize | undefined;
  threads: number;
}

/** Steps of the search for the capacity: messages in flight. */
export const IN_FLIGHT_STEPS = [16, 64, 256, 1024] as const;
/** The first part of a step is not counted. */
export const STEP_WARM_UP_PART = 1 / 3;
/** Rate before and after the overload, to establish what is normal. */
export const PROBES_PER_SECOND = 10;
/** Durations before and after the overload, none longer than the overload itself. */
export function timesBesides({ durationMs }: OverloadPlan) {
  const atMost = (ms: number) => Math.min(ms, durationMs);
  return { stepMs: atMost(3000), baselineMs: atMost(2000), recoveryMs: atMost(10_000) };
}

export function mostMessages(plan: OverloadPlan): number {
  const { stepMs, baselineMs, recoveryMs } = timesBesides(plan);
  const besides = IN_FLIGHT_STEPS.length * stepMs + baselineMs + recoveryMs;
  return Math.ceil(((plan.durationMs + besides) / 1000) * MOST_PER_SECOND);
}
