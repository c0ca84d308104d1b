/** Messages between the processes of this benchmark. Receivers use those of the broadcast benchmark. */

export const CANDIDATES = {
  fanout: "@fanfare/fanout over NATS, Emitter as publisher",
  "redis-adapter": "@socket.io/redis-adapter, @socket.io/redis-emitter as publisher",
  "redis-streams": "@socket.io/redis-streams-adapter, a third server of it without sockets as publisher",
} as const;

export type Candidate = keyof typeof CANDIDATES;

export const brokerOf = (candidate: Candidate): "nats" | "redis" =>
  candidate === "fanout" ? "nats" : "redis";

/** The published room, and the room of the third gateway's sockets. */
export const ROOM = "channel:all";
export const OTHER_ROOM = "channel:other";

export type ToGateway = { kind: "count" } | ToPublisher;
/** `messages`: received from the broker for sockets since the start. */
export type FromGateway =
  | { kind: "listening"; port: number }
  | { kind: "count"; messages: number }
  | FromPublisher;

export type ToPublisher = { kind: "publish"; messages: number };
export type FromPublisher = { kind: "connected" } | { kind: "started"; at: string };
