import type { RoundKind } from "./broadcast-result.ts";
import type { ReceiverKind } from "../../receivers/receiver.ts";

/** The options of a broadcast run. Durations in milliseconds. */
export interface BroadcastPlan {
  users: number;
  kind: ReceiverKind;
  probes: number;
  workers: number;
  napMs: number;
  /** Concurrent connection attempts. */
  window: number;
  connectTimeoutMs?: number;
  /** Rest before the cold message, and before the first of all. */
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
  /** Of a single instance that is started for the run; default: the instance's own default. */
  gatewayThreads?: number;
}

/** In sending order. The warm-up comes first, so that "cold" only measures the effect of the idle time. */
export function roundKinds({ warmup, messages }: Pick<BroadcastPlan, "warmup" | "messages">): RoundKind[] {
  return [
    ...Array.from({ length: warmup }, (_, i) => (i === 0 ? "first" : "warmup") as RoundKind),
    "cold",
    ...Array.from({ length: messages }, () => "warm" as const),
  ];
}

/** All messages of a run: the rounds and the bursts. */
export function plannedMessages(
  plan: Pick<BroadcastPlan, "warmup" | "messages" | "bursts" | "burstRepeats">,
): number {
  return (
    1 + plan.warmup + plan.messages + plan.burstRepeats * plan.bursts.reduce((sum, size) => sum + size, 0)
  );
}
