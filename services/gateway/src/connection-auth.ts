import { type EventPayload, LIMITS, PROTOCOL_VERSION } from "@fanfare/contract";
import {
  type Actor,
  createBatcher,
  type NodeContext,
  overloaded,
  type RateLimits,
  serviceError,
  toServiceError,
} from "@fanfare/kernel";
import type { ExtendedError } from "socket.io";
import { emitDirectly, joinFresh } from "@fanfare/fanout";
import { CONNECT_RATE_LIMIT, CROWD_MS, RECONNECT_WITHIN_MS } from "./constants.ts";
import type { Calls } from "./calls.ts";
import type { Identify } from "./identify.ts";
import type { MaintenanceMode } from "./gateway-state.ts";
import type { GatewayMetrics } from "./metrics.ts";
import { nextRequestId } from "./responses.ts";
import type { SecondFactor } from "./sessions.ts";
import { hold, release, type ConnectionRegistry, type GatewaySocket } from "./connection-registry.ts";

interface ConnectionAuthOptions {
  calls: Calls;
  identify: Identify;
  connectionRegistry: ConnectionRegistry;
  metrics: GatewayMetrics;
  limits: RateLimits;
  secondFactor: SecondFactor;
  /** Whether the required services are available. */
  isServing: () => boolean;
}

/** Authenticates the Socket.IO handshake; rejects with a contract error. */
export function createConnectionAuth({
  calls,
  identify,
  connectionRegistry,
  metrics,
  limits,
  secondFactor,
  isServing,
}: ConnectionAuthOptions) {
  const limiter = limits.quick("connect", CONNECT_RATE_LIMIT);

  /** @throws {ServiceError} */
  const checkConnection = (socket: GatewaySocket): Actor | Promise<Actor> => {
    const record = connectionRegistry.of(socket.conn);
    // Like Socket.IO for a second CONNECT, but only once the first one is fully connected.
    if (record.actor !== null) {
      socket.conn.close();
      throw serviceError("MALFORMED_REQUEST");
    }
    if (calls.draining || !isServing())
      throw serviceError("UNAVAILABLE", { retryAfterMs: RECONNECT_WITHIN_MS });
    if (connectionRegistry.exceedsLimit(socket.conn)) {
      metrics.refused("TOO_MANY_CONNECTIONS");
      // In a later turn, so that the reason is sent first.
      setTimeout(() => socket.conn.close(), 0);
      throw overloaded();
    }
    // Checked early: a connection costs several reads, and a failed one is retried.
    if (!calls.admission.admitsConnection()) throw overloaded();
    const actor = identify((socket.handshake.auth as { token?: unknown }).token);
    return actor instanceof Promise ? actor.then(withFactor) : withFactor(actor);
  };

  /** @throws {ServiceError} */
  const withFactor = (actor: Actor): Actor | Promise<Actor> =>
    secondFactor.assertVerified(actor)?.then(() => actor) ?? actor;

  /** @throws {ServiceError} */
  const enter = (socket: GatewaySocket, actor: Actor): void => {
    const record = connectionRegistry.of(socket.conn);
    // Another CONNECT of the same connection was faster.
    if (record.actor !== null) {
      socket.conn.close();
      throw serviceError("MALFORMED_REQUEST");
    }
    const retryAfterMs = limiter.take(actor.userId, Date.now());
    if (retryAfterMs > 0) throw serviceError("RATE_LIMITED", { retryAfterMs });
    record.actor = actor;
    // Released when the socket is ready, so that the response to CONNECT and `ready` are sent together.
    hold(record, socket.conn);
    socket.data = record;
  };

  return (socket: GatewaySocket, next: (error?: ExtendedError) => void): void => {
    const refuse = (thrown: unknown): void => {
      const { error: data } = calls.refuse(toServiceError(thrown), nextRequestId());
      // Sent to the client as `connect_error`.
      next(Object.assign(new Error(data.type), { data }));
    };
    const admit = (actor: Actor): void => {
      try {
        enter(socket, actor);
      } catch (thrown) {
        return refuse(thrown);
      }
      next();
    };
    try {
      const actor = checkConnection(socket);
      // Synchronous for users, who are the majority.
      if (actor instanceof Promise) void actor.then(admit, refuse);
      else admit(actor);
    } catch (thrown) {
      refuse(thrown);
    }
  };
}

type ListRooms = (userId: string) => Promise<readonly string[]>;

/** Lists the rooms of a user. Concurrent logins share a call. */
export function createListRooms({ services }: Pick<NodeContext, "services">): ListRooms {
  const roomsAmong = createBatcher(
    async (_key, userIds: string[]) => {
      const different = [...new Set(userIds)];
      const { rooms } = await services.group.listRooms({ userIds: different });
      return new Map(different.map((userId, index) => [userId, rooms[index]!]));
    },
    { maxBatch: LIMITS.usersPerLookup, crowdMs: CROWD_MS },
  );
  return async (userId) => (await roomsAmong("all", userId)).get(userId)!;
}

interface EnterRoomsOptions {
  node: NodeContext;
  listRooms: ListRooms;
  calls: Pick<Calls, "admission">;
  maintenance: Pick<MaintenanceMode, "now">;
  metrics: GatewayMetrics;
}

/**
 * Joins a socket to the rooms of its user, then sends `ready`, and `server.paused` during maintenance. If the rooms can't be listed,
 * the connection is closed so that the client reconnects: a socket that misses events must not look healthy.
 */
export function enterRooms(socket: GatewaySocket, actor: Actor, options: EnterRoomsOptions): Promise<void> {
  const request = {
    requestId: nextRequestId(),
    action: "connect",
    transport: "socket",
    startedAtMs: performance.now(),
  } as const;
  return options.node.inRequest(request, () => enter(socket, actor, options));
}

async function enter(
  socket: GatewaySocket,
  { userId, sessionId }: Actor,
  { node, listRooms, calls, maintenance, metrics }: EnterRoomsOptions,
): Promise<void> {
  const end = calls.admission.beginConnection();
  try {
    await joinFresh(socket, () => listRooms(userId));
    if (!socket.connected) return;
    const serverTime = new Date().toISOString();
    const ready: EventPayload<"ready"> = { userId, sessionId, protocolVersion: PROTOCOL_VERSION, serverTime };
    emitDirectly(socket, "ready", ready);
    const { enabled, message } = maintenance.now;
    if (enabled) emitDirectly(socket, "server.paused", { message } satisfies EventPayload<"server.paused">);
    release(socket.data);
  } catch (error) {
    metrics.refused("NO_ROOMS");
    node.logger.error({ err: error, userId }, "rooms of user not listed");
    // First, because a connection closes only after Engine.IO's buffered packets are sent.
    release(socket.data);
    socket.conn.close();
  } finally {
    end();
  }
}
