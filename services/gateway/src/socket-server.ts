import type { Server as HttpServer } from "node:http";
import {
  actionDefinition,
  isActionName,
  LIMITS,
  type Subscription,
  userRoom,
  type WireAnswer,
} from "@fanfare/contract";
import { isSlow, slimSocket } from "@fanfare/fanout";
import {
  limitReached,
  type NodeContext,
  overloaded,
  type RateLimits,
  serviceError,
  toServiceError,
  unavailable,
} from "@fanfare/kernel";
import { Server, type Socket } from "socket.io";
import type { Calls } from "./calls.ts";
import { createConnectionAuth, createListRooms, enterRooms } from "./connection-auth.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import { ConnectionRegistry, type GatewaySocket, release, type SocketServer } from "./connection-registry.ts";
import {
  CONNECT_TIMEOUT_MS,
  MAX_CALLS_IN_FLIGHT_PER_SOCKET,
  MAX_UNREAD_BYTES_PER_SOCKET,
  PING_INTERVAL_MS,
  PING_TIMEOUT_MS,
  STALLED_TIMEOUT_MS,
  SUBSCRIBE_TIMEOUT_MS,
  SUBSCRIPTION_SWEEP_MS,
} from "./constants.ts";
import type { MaintenanceMode } from "./gateway-state.ts";
import type { Identify } from "./identify.ts";
import type { GatewayMetrics } from "./metrics.ts";
import { nextRequestId } from "./responses.ts";
import type { EndedSessions, SecondFactor } from "./sessions.ts";

interface SocketServerOptions {
  http: HttpServer;
  node: NodeContext;
  calls: Calls;
  maintenance: Pick<MaintenanceMode, "now">;
  limits: RateLimits;
  /** Limit of sockets, shared with the other threads. */
  socketLimit: ConnectionLimit;
  identify: Identify;
  ended: EndedSessions;
  secondFactor: SecondFactor;
  metrics: GatewayMetrics;
}

/** Socket.IO on the gateway's HTTP server: authentication, calls and disconnects of clients. */
export function createSocketServer(options: SocketServerOptions): SocketServer {
  const { http, node, calls, ended, secondFactor, metrics } = options;
  const { config } = node;
  const connectionRegistry = new ConnectionRegistry({
    ...config,
    limit: options.socketLimit,
    onFlood: () => metrics.refused("FLOOD"),
  });
  const io: SocketServer = new Server(http, {
    transports: ["websocket"],
    serveClient: false,
    perMessageDeflate: false,
    maxHttpBufferSize: LIMITS.socketPayloadMaxBytes,
    connectTimeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    pingTimeout: PING_TIMEOUT_MS,
    adapter: node.fanout.createAdapter({
      maxBufferedBytes: MAX_UNREAD_BYTES_PER_SOCKET,
      stallTimeoutMs: STALLED_TIMEOUT_MS,
      onSlow: () => metrics.slowSockets.inc(),
      onStalled: () => metrics.refused("NOT_READING"),
      onBroadcast: (stats) => metrics.published(stats),
    }),
    allowRequest(request, done) {
      if (!connectionRegistry.isFull(request)) {
        // Sends the upgrade response and Engine.IO's first packet in one write.
        request.socket.cork();
        return done(null, true);
      }
      metrics.refused("TOO_MANY_CONNECTIONS");
      return done("Too many connections: try again later.", false);
    },
  });
  io.engine.on("connection", (connection: Socket["conn"]) => {
    connection.request.socket.uncork();
    connectionRegistry.accept(connection);
  });
  const isServing = (): boolean => node.cluster.faults().length === 0;
  io.use(createConnectionAuth({ ...options, connectionRegistry, isServing }));
  const subscriptions = new Subscriptions(io);
  http.once("close", () => subscriptions.stop());
  const entering = { ...options, listRooms: createListRooms(node) };
  const onCall = createCallListener({ calls, metrics, subscriptions });
  /** The connection can stay open and log in again. One shared function for all sockets, to save memory. */
  function onDisconnect(this: GatewaySocket, reason: string): void {
    this.data.actor = null;
    release(this.data);
    metrics.disconnected(reason);
  }
  io.on("connection", (socket) => {
    const record = connectionRegistry.of(socket.conn);
    const { actor } = record;
    // The session may have ended since the handshake.
    if (actor === null || ended.has(actor.sessionId)) {
      release(record);
      socket.disconnect(true);
      return;
    }
    metrics.opened.inc();
    void socket.join(userRoom(actor.userId));
    slimSocket(socket);
    // Frees the headers and the token, about a kilobyte per connection.
    Reflect.set(socket, "handshake", null);
    socket.onAny(onCall);
    socket.on("disconnect", onDisconnect);
    // The policy may have changed since the handshake, too.
    void secondFactor.close([socket]);
    void enterRooms(socket, actor, entering);
  });
  return io;
}

interface CallListenerOptions {
  calls: Calls;
  metrics: GatewayMetrics;
  subscriptions: Subscriptions;
}

type Acknowledge = (response: WireAnswer<unknown>) => void;

/**
 * The listener for everything a client emits: `(action, params, ack)`. One function serves all sockets, because a listener per
 * socket and action would make up most of the memory of an idle connection. Socket.IO calls it with the socket as `this`.
 */
function createCallListener(options: CallListenerOptions) {
  return function onCall(this: GatewaySocket, ...args: unknown[]): void {
    const acknowledge = args.at(-1);
    if (typeof acknowledge !== "function") {
      options.metrics.refused("NO_ACK");
      return;
    }
    void answer(options, this, args.slice(0, -1), acknowledge as Acknowledge);
  };
}

async function answer(
  options: CallListenerOptions,
  socket: GatewaySocket,
  [name, params = {}, ...rest]: unknown[],
  acknowledge: Acknowledge,
): Promise<void> {
  const { calls } = options;
  const record = socket.data;
  const requestId = nextRequestId();
  if (rest.length > 0) {
    acknowledge(calls.refuse(serviceError("MALFORMED_REQUEST"), requestId));
    return;
  }
  // Arrived before reading from the socket was paused: a response would add to the unread data.
  if (record.callsInFlight >= MAX_CALLS_IN_FLIGHT_PER_SOCKET || isSlow(socket)) {
    acknowledge(calls.refuse(overloaded(), requestId));
    return;
  }
  record.callsInFlight += 1;
  const { actor, address } = record;
  const calledAtMs = performance.now();
  let answered = await calls.answer("socket", name, params, {
    actor,
    address,
    requestId,
    isSlow: () => isSlow(socket),
  });
  const subscription = answered.ok ? subscriptionOf(name) : undefined;
  if (answered.ok && subscription !== undefined) {
    try {
      if ("leave" in subscription) options.subscriptions.leave(socket, subscription.leave(params));
      else await options.subscriptions.join(socket, subscription, answered.data, calledAtMs);
    } catch (thrown) {
      answered = calls.refuse(toServiceError(thrown), requestId);
    }
  }
  record.callsInFlight -= 1;
  try {
    acknowledge(answered);
  } catch (thrown) {
    // A result that can't be encoded.
    acknowledge(calls.refuse(toServiceError(thrown), requestId));
  }
}

type AnySubscription = Subscription<unknown, unknown>;

/** Joins sockets to the rooms that a successful call subscribes to, for the time given by the contract. */
class Subscriptions {
  readonly #io: SocketServer;
  readonly #timer: NodeJS.Timeout;
  /** Expiry of each subscribed room by socket id, earliest first. */
  readonly #rooms = new Map<string, Map<string, number>>();

  constructor(io: SocketServer) {
    this.#io = io;
    this.#timer = setInterval(() => this.#sweep(), SUBSCRIPTION_SWEEP_MS).unref();
  }

  /**
   * @param calledAtMs when the call arrived, by `performance.now()`
   * @throws {ServiceError} when the socket has too many rooms, or the call took so long that events may have been missed
   */
  async join(
    socket: GatewaySocket,
    subscription: Extract<AnySubscription, { limit: string }>,
    result: unknown,
    calledAtMs: number,
  ): Promise<void> {
    const { limit, lifetimeMs } = subscription;
    const rooms = subscription.join(result);
    if (!socket.connected || rooms.length === 0) return;
    const held = this.#rooms.get(socket.id) ?? new Map<string, number>();
    const added = rooms.filter((room) => !held.has(room));
    if (held.size + added.length > LIMITS[limit]) throw limitReached(limit);
    const untilMs = performance.now() + lifetimeMs;
    for (const room of rooms) {
      held.delete(room);
      held.set(room, untilMs);
    }
    this.#rooms.set(socket.id, held);
    await socket.join(added);
    if (performance.now() - calledAtMs <= SUBSCRIBE_TIMEOUT_MS) return;
    this.leave(socket, added);
    throw unavailable();
  }

  leave(socket: GatewaySocket, rooms: readonly string[]): void {
    const held = this.#rooms.get(socket.id);
    // Only subscribed rooms: a client can't leave those of its user and groups.
    for (const room of rooms) if (held?.delete(room)) void socket.leave(room);
    if (held?.size === 0) this.#rooms.delete(socket.id);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const { sockets } = this.#io.of("/");
    const nowMs = performance.now();
    for (const [socketId, held] of this.#rooms) {
      const socket = sockets.get(socketId);
      for (const [room, untilMs] of held) {
        if (socket === undefined) break;
        if (untilMs > nowMs) break;
        held.delete(room);
        void socket.leave(room);
      }
      if (socket === undefined || held.size === 0) this.#rooms.delete(socketId);
    }
  }
}

/** undefined for most actions. */
function subscriptionOf(name: unknown): AnySubscription | undefined {
  return typeof name === "string" && isActionName(name) ? actionDefinition(name).subscription : undefined;
}
