import { z } from "zod";
import { entity, time } from "./primitives.ts";

const amount = z.number().min(0);

/** Metrics of one gateway over a few seconds. */
export const GatewayStepSchema = entity("GatewayStep", {
  endedAtMs: z.int(),
  durationMs: amount,
  connections: z.int(),
  messages: z.int(),
  deliveries: z.int(),
  fanout: z
    .array(z.tuple([amount, z.int()]))
    .describe("number of publications (batched ones count once) per latency bucket, in milliseconds"),
  fanoutMaxMs: amount,
  eventLoopDelayMs: amount,
  memoryBytes: z.int(),
});
export type GatewayStep = z.output<typeof GatewayStepSchema>;

export const MetricsStepSchema = entity("MetricsStep", {
  endedAt: time,
  connections: z.int().describe("sockets at the end of the step"),
  messagesPerSecond: amount.describe("stored messages from clients, bots and webhooks"),
  deliveriesPerSecond: amount.describe("events written to sockets by publications"),
  fanoutMs: z
    .object({
      p50: amount,
      p99: amount,
      p100: amount,
    })
    .nullable()
    .describe(
      "From the publication of an event (for a message, after it is stored) to the write to the last socket of a gateway. " +
        "Excludes storage and the network to the clients. p50 and p99 are interpolated within buckets; null: nothing was published",
    ),
  eventLoopDelayMs: amount.describe("maximum event loop delay of a gateway"),
  memoryBytes: z.int().describe("of the gateway processes"),
});
export type MetricsStep = z.output<typeof MetricsStepSchema>;
