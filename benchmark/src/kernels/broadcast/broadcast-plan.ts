import {
  choice,
  integer,
  LAST_MEMBER_TIMEOUT,
  option,
  PAYLOAD_OPTIONS,
  RECEIVER_OPTIONS,
  threadCount,
  time,
  wholeNumbers,
  type OptionValues,
} from "../../cli/options.ts";
import { addressNeeds, checkLimits } from "../../cli/preflight.ts";
import type { ReceiverKind } from "../../receivers/receiver.ts";
import { count } from "../../report/format.ts";
import { sum } from "./percentiles.ts";

/** The options of every scenario that broadcasts messages one by one. */
export const MESSAGE_OPTIONS = {
  ...RECEIVER_OPTIONS,
  ...PAYLOAD_OPTIONS,
  messages: integer("Messages", "Messages that are measured, sent one at a time", [1, 10_000], {
    default: 20,
    alias: "m",
  }),
  warmup: integer(
    "Messages",
    "Messages before those, to warm up; the first of them is shown as the first after connecting",
    [0, 10_000],
    {
      default: 3,
    },
  ),
  burst: option(
    "Messages",
    "Bursts of this many messages at the end, for example 20,100",
    "string",
    { default: "" },
    (flag, given: string) => (given === "" ? [] : wholeNumbers(flag, given, 1, 10_000)),
  ),
  burstRepeats: integer("Messages", "How often each burst is sent", [1, 1000], { default: 3 }),
  intervalMs: time("Messages", "Time between full delivery of a message and the next one", {
    default: "200ms",
  }),
  idleMs: time("Messages", "Idle time between the warm-up and a single message, to see what idling costs", {
    default: "2s",
  }),
  timeoutMs: LAST_MEMBER_TIMEOUT,
  client: choice(
    "Receivers",
    "How the tester receives: its own light receivers, or the socket.io client (a bottleneck above some 5,000 users)",
    { default: "light", choices: ["light", "socket.io"] },
  ),
  probes: integer("Receivers", "Users with the official client, to check the light receivers", [0, 1000], {
    default: 20,
  }),
  connectTimeoutMs: time("Receivers", "Timeout of a connection attempt", { default: "10s", minMs: 100 }),
};

/** The same for several broadcasts one after the other. */
export const REPEATED_MESSAGE_OPTIONS = {
  ...MESSAGE_OPTIONS,
  burst: { ...MESSAGE_OPTIONS.burst, default: "20,100" },
  burstRepeats: { ...MESSAGE_OPTIONS.burstRepeats, default: 1 },
};

export type MessageValues = OptionValues<typeof MESSAGE_OPTIONS>;

/** The options of a broadcast run. */
export interface BroadcastPlan extends Omit<MessageValues, "threads" | "client"> {
  users: number;
  kind: ReceiverKind;
  threads: number;
}

export function broadcastPlan({ client, ...values }: MessageValues, users: number): BroadcastPlan {
  const kind = client === "light" ? "light" : "official";
  const probes = kind === "light" ? Math.min(values.probes, users - 1) : 0;
  return { ...values, users, kind, probes, threads: threadCount(values.threads, users) };
}

/** One for each number of members. */
export function broadcastPlans(values: MessageValues, sizes: readonly number[]) {
  const plans = sizes.map((users) => broadcastPlan(values, users));
  return { plans, largest: plans.find(({ users }) => users === Math.max(...sizes))! };
}

/** @throws {ExitError} listing everything that would fail halfway */
export async function checkBroadcastLimits(plan: BroadcastPlan, url?: string): Promise<void> {
  checkLimits({ ...plan, messages: plannedMessages(plan), ...(await addressNeeds(url)) });
}

/**
 * `first`: the first message after connecting, with cold code paths. `cold`: the first after an idle time.
 * `warmup`: shown, but not part of the warm figures.
 */
export type RoundKind = "first" | "warmup" | "cold" | "warm";

/** In sending order. The warm-up comes first, so that "cold" only measures the effect of the idle time. */
export function roundKinds({ warmup, messages }: Pick<BroadcastPlan, "warmup" | "messages">): RoundKind[] {
  return [
    ...Array.from({ length: warmup }, (_, i) => (i === 0 ? "first" : "warmup") as RoundKind),
    "cold",
    ...Array.from({ length: messages }, () => "warm" as const),
  ];
}

/** What is sent, for a subtitle. */
export function messagesText({ messages, warmup }: Pick<BroadcastPlan, "messages" | "warmup">): string {
  return `${count(messages, "message")} one at a time, after a warm-up of ${warmup}`;
}

/** All messages of a run: the rounds and the bursts. */
export function plannedMessages(plan: BroadcastPlan): number {
  const { warmup, messages, burst, burstRepeats } = plan;
  return 1 + warmup + messages + burstRepeats * sum(burst);
}
