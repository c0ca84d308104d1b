import type { Server as HttpServer } from "node:http";
import { LIMITS, userRoom } from "@fanfare/contract";
import { slimSocket } from "@fanfare/fanout";
import type { NodeContext, RateLimits } from "@fanfare/kernel";
import { Server, type Socket } from "socket.io";
import {
  CONNECT_TIMEOUT_MS,
  MAX_UNREAD_BYTES_PER_SOCKET,
  STALLED_TIMEOUT_MS,
  PING_INTERVAL_MS,
  PING_TIMEOUT_MS,
} from "./constants.ts";
import type { Calls } from "./calls.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import { createConnectionAuth, createListRooms, enterRooms } from "./connection-auth.ts";
import type { EndedSessions } from "./sessions.ts";
import type { MaintenanceMode } from "./gateway-state.ts";
import type { Identify } from "./identify.ts";
import type { GatewayMetrics } from "./metrics.ts";
import { createCallListener, Subscriptions } from "./socket-calls.ts";
import type { SecondFactor } from "./second-factor.ts";
import { ConnectionRegistry, type GatewaySocket, release, type SocketServer } from "./connection-registry.ts";

export interface SocketServerOptions {
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
