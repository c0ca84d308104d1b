/** Messages between the processes of this benchmark; the receivers' messages are those of the other benchmark. */

export const CANDIDATES = {
  fanout: "@fanfare/fanout over NATS, Emitter as publisher",
  "redis-adapter": "@socket.io/redis-adapter, @socket.io/redis-emitter as publisher",
  "redis-streams": "@socket.io/redis-streams-adapter, a third server of it without sockets as publisher",
} as const;

export type Candidate = keyof typeof CANDIDATES;

export const brokerOf = (candidate: Candidate): "nats" | "redis" =>
  candidate === "fanout" ? "nats" : "redis";

/** The room of all sockets, and that of the sockets at the gateway without publications. */
export const ROOM = "channel:all";
export const OTHER_ROOM = "channel:other";

export type ToGateway = { kind: "count" } | ToPublisher;
/** `messages`: for sockets, that have come over the broker since the start. */
export type FromGateway =
  | { kind: "listening"; port: number }
  | { kind: "count"; messages: number }
  | FromPublisher;

export type ToPublisher = { kind: "publish"; messages: number };
export type FromPublisher = { kind: "connected" } | { kind: "started"; at: string };
