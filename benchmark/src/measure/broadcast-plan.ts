import type { ReceiverKind } from "../receiver/receiver.ts";

/** Everything that a broadcast run is told. Durations in milliseconds. */
export interface BroadcastPlan {
  users: number;
  kind: ReceiverKind;
  probes: number;
  workers: number;
  napMs: number;
  /** Connections being made at the same time. */
  window: number;
  connectTimeoutMs: number;
  /** Rest before the first (cold) message. */
  idleMs: number;
  warmup: number;
  messages: number;
  intervalMs: number;
  /** Sizes of the bursts, each of which is repeated. */
  bursts: number[];
  burstRepeats: number;
  /** How long to wait for the last member. */
  timeoutMs: number;
  payloadBytes: number;
}

/** All messages of a run: the cold one, the rounds and the bursts. */
export function plannedMessages(
  plan: Pick<BroadcastPlan, "warmup" | "messages" | "bursts" | "burstRepeats">,
): number {
  return (
    1 + plan.warmup + plan.messages + plan.burstRepeats * plan.bursts.reduce((sum, size) => sum + size, 0)
  );
}
