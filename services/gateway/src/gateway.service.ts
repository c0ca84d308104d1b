import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createRateLimits, type DomainEvents, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { actionsOf, readPlugins } from "@fanfare/plugins";
import type { FastifyInstance } from "fastify";
import { DRAIN_MS, DRAIN_SOCKETS_MS, RECONNECT_WITHIN_MS } from "./constants.ts";
import { Calls } from "./calls.ts";
import { catchUp } from "./catch-up.ts";
import {
  ConnectionLimit,
  connectionMemory,
  connectionCapacity,
  type ConnectionMemory,
} from "./connection-limit.ts";
import {
  changeSession,
  closeSessions,
  createSessionUse,
  EndedSessions,
  SecondFactor,
  watchEndedSessions,
} from "./sessions.ts";
import { exposeGatewayState, MaintenanceMode } from "./gateway-state.ts";
import { createHttpServer } from "./http-server.ts";
import { createIdentify } from "./identify.ts";
import { createGatewayMetrics } from "./metrics.ts";
import { recentActions, watchSteps, type WatchedSteps } from "./recent-steps.ts";
import { pluginActions } from "./plugin-routes.ts";
import { reportPresence } from "./presence-reporter.ts";
import { createSocketServer } from "./socket-server.ts";
import type { SocketServer } from "./connection-registry.ts";

export {
  capacityNotice,
  connectionCapacity,
  connectionMemory,
  type ConnectionMemory,
} from "./connection-limit.ts";

type ServiceSchema = ReturnType<ServiceFactory>;

export interface GatewayOptions {
  /** Called with the port once the gateway listens. */
  onListening?: (port: number) => void;
  /** Set when several threads listen on the port, to count connections together. */
  sharedMemory?: ConnectionMemory;
}

interface Running {
  app: FastifyInstance;
  io: SocketServer;
  calls: Calls;
  /** Stops background work. */
  release: () => void;
}

/** The edge: HTTP and Socket.IO on one port. Knows the contract and the caller, but no domain logic. */
export function createGatewayService(
  node: NodeContext,
  { onListening, sharedMemory }: GatewayOptions = {},
): ServiceSchema {
  const plugins = readPlugins(node.config.plugins);
  const ended = new EndedSessions();
  let running: Running | undefined;
  let steps: WatchedSteps | undefined;
  const stopping = new AbortController();
  const maintenance = new MaintenanceMode(node, stopping.signal, ({ enabled, message }) => {
    if (enabled) running?.io.local.emit("server.paused", { message });
    else running?.io.local.emit("server.resumed", {});
  });
  const secondFactor = new SecondFactor(node);
  let catchingUp: Promise<void> = Promise.resolve();
  let isWaiting = false;
  node.cluster.onMissed(() => {
    maintenance.reload();
    if (isWaiting) return;
    isWaiting = true;
    const again = async (): Promise<void> => {
      isWaiting = false;
      if (running !== undefined)
        await catchUp({ node, io: running.io, ended, secondFactor }, stopping.signal);
    };
    catchingUp = catchingUp.then(again).catch((error: unknown) => {
      if (!stopping.signal.aborted) node.logger.error({ err: error }, "catch-up failed");
    });
  });

  return {
    name: "gateway",
    settings: { $noServiceNamePrefix: true },
    actions: { ...recentActions(node, () => steps?.recent), ...pluginActions(node, plugins) },
    // Starts listening when these services are available.
    dependencies: ["user", "group", "message"],
    events: {
      "server.announced": (context: { params: DomainEvents["server.announced"] }) => {
        running?.io.local.emit("server.announced", context.params);
      },
      "maintenance.changed": (context: { params: DomainEvents["maintenance.changed"] }) => {
        maintenance.setMaintenance(context.params);
      },
      async "process.abandoned"() {
        if (running === undefined) return;
        void running.calls.drain(0);
        await drainSockets(running, 0);
        await delay(DRAIN_SOCKETS_MS);
      },
      "session.ended": (context: { params: DomainEvents["session.ended"] }) => {
        ended.add(context.params.sessionIds, Date.now());
        if (running !== undefined) closeSessions(running.io, context.params);
      },
      "session.changed": (context: { params: DomainEvents["session.changed"] }) => {
        if (running !== undefined) void secondFactor.close(changeSession(running.io, context.params));
      },
      "policy.changed": () => {
        secondFactor.evict();
        if (running !== undefined) void secondFactor.close(running.io.of("/").sockets.values());
      },
    },
    async started() {
      ended.add((await node.services.user.listRevokedSessions({})).sessionIds, Date.now());
      // Preloaded before anyone connects; if it fails, connections and calls load it.
      void node.policy.get().catch(() => undefined);
      await maintenance.start();
      const connections = (): number => running?.io.of("/").sockets.size ?? 0;
      const metrics = createGatewayMetrics(node.metrics, connections);
      const { stop: stopSteps } = (steps = await watchSteps(metrics, connections));
      const { logger, config, inRequest } = node;
      const call = (name: string, params: unknown, options: object) =>
        this.broker.call(name, params, options);
      const limits = createRateLimits({ counters: node.counters, logger, factor: config.rateLimitFactor });
      const sessionUse = createSessionUse(node);
      const calls = new Calls({
        call,
        limits,
        metrics,
        logger,
        inRequest,
        paused: () => maintenance.refusal(),
        assertSecondFactor: (actor) => secondFactor.assertVerified(actor),
        onUse: (actor) => sessionUse.note(actor),
        rateLimitFactor: config.rateLimitFactor,
        pluginActions: Object.assign({}, ...plugins.map(({ manifest }) => actionsOf(manifest))),
      });
      const room = connectionCapacity(config);
      const memory = sharedMemory ?? connectionMemory(room);
      exposeGatewayState({ node, calls, maintenance, maxSockets: room.sockets.max });
      const identify = createIdentify(node, ended);
      const app = await createHttpServer({
        node,
        calls,
        identify,
        limits,
        plugins,
        tcpLimit: new ConnectionLimit(memory.tcp, room.tcp),
        onTooMany: () => metrics.refused("TOO_MANY_CONNECTIONS"),
      });
      const io = createSocketServer({
        http: app.server,
        node,
        calls,
        maintenance,
        limits,
        socketLimit: new ConnectionLimit(memory.sockets, room.sockets),
        identify,
        ended,
        secondFactor,
        metrics,
      });
      const stopReporting = reportPresence(io, node);
      const stopWatching = watchEndedSessions(node, io, ended);
      const release = (): void => {
        calls.stop();
        void sessionUse.stop();
        stopReporting();
        void stopWatching();
        stopSteps();
        limits.stop();
      };
      running = { app, io, calls, release };
      node.fanout.attach(io);
      const { host, port } = config;
      const reusePort = sharedMemory !== undefined;
      await once(app.server.listen({ host, port, reusePort, backlog: LISTEN_BACKLOG }), "listening");
      onListening?.((app.server.address() as AddressInfo).port);
    },
    async stopped() {
      stopping.abort();
      if (running === undefined) return;
      const deadlineMs = performance.now() + DRAIN_MS;
      await drainSockets(running, node.config.natsUrl === undefined ? 0 : RECONNECT_WITHIN_MS);
      running.release();
      await drain(running, deadlineMs);
      node.fanout.detach();
      running = undefined;
    },
  };
}

/**
 * Connections queued by the system while the process is busy; further ones are retried after 1, 3, 7 … s. When another gateway
 * stops, all of its clients connect within seconds. Linux limits this to net.core.somaxconn.
 */
const LISTEN_BACKLOG = 4096;

/**
 * Rejects new clients and asks connected ones to reconnect to another gateway. If there is one, they are served until they have
 * reconnected, each at a random time, so that no client is offline for longer than a reconnect takes.
 */
async function drainSockets({ app, io }: Running, waitMs: number): Promise<void> {
  app.server.close();
  const { sockets } = io.of("/");
  // Emitted per socket, because a broadcast could still be in progress when the connections close.
  for (const socket of sockets.values())
    socket.emit("server.draining", { reconnectWithinMs: RECONNECT_WITHIN_MS });
  const deadlineMs = performance.now() + waitMs;
  while (sockets.size > 0 && performance.now() < deadlineMs) await delay(20);
}

/** Completes running calls, then closes everything. */
async function drain({ app, io, calls }: Running, deadlineMs: number): Promise<void> {
  await calls.drain(deadlineMs - performance.now());
  // Not Socket.IO's own disconnect packet, after which clients don't reconnect automatically.
  for (const socket of io.of("/").sockets.values()) socket.conn.close();
  // These resolve when the last connection is closed, which a client can delay.
  const closed = Promise.allSettled([io.close(), app.close()]);
  await Promise.race([closed, delay(DRAIN_SOCKETS_MS)]);
  app.server.closeAllConnections();
}
