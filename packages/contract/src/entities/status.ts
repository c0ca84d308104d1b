import { z } from "zod";
import { entity, time } from "./primitives.ts";

const amount = z.number().min(0);

/** What one gateway did in a few seconds. */
export const GatewayStepSchema = entity("GatewayStep", {
  endedAtMs: z.int(),
  durationMs: amount,
  connections: z.int(),
  messages: z.int(),
  deliveries: z.int(),
  fanout: z
    .array(z.tuple([amount, z.int()]))
    .describe(
      "how many publications, those written together as one, took at most so many milliseconds and more than the entry before",
    ),
  fanoutMaxMs: amount,
  eventLoopDelayMs: amount,
  memoryBytes: z.int(),
});
export type GatewayStep = z.output<typeof GatewayStepSchema>;

export const MetricsStepSchema = entity("MetricsStep", {
  endedAt: time,
  connections: z.int().describe("sockets at the end of the step"),
  messagesPerSecond: amount.describe(
    "messages that clients, bots and webhooks have sent, and that are stored",
  ),
  deliveriesPerSecond: amount.describe("events written to sockets by publications"),
  fanoutMs: z
    .object({
      p50: amount,
      p99: amount,
      p100: amount,
    })
    .nullable()
    .describe(
      "From the publication of an event, which for a message follows its storing, to the write to the last socket of a gateway. " +
        "Neither storing nor the network to the clients is in it. p50 and p99 are interpolated within buckets; null: nothing was published",
    ),
  eventLoopDelayMs: amount.describe("the longest that anything waited for its turn in a gateway"),
  memoryBytes: z.int().describe("of the processes that are gateways"),
});
export type MetricsStep = z.output<typeof MetricsStepSchema>;
