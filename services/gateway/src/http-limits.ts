import type { Server, Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { HTTP_REQUEST_TIMEOUT_MS } from "./constants.ts";
import { normalizeAddress } from "./client-address.ts";
import type { ConnectionLimit } from "./connection-limit.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Allows more time for the body. */
    slow?: boolean;
  }
}

/** Closes connections whose request isn't complete in time. Node has only one limit for all requests. */
export function limitBodyTime(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw, routeOptions }) => {
    const { "content-length": length, "transfer-encoding": encoding } = raw.headers;
    if (routeOptions.config.slow === true || (length === undefined && encoding === undefined)) return;
    const timer = setTimeout(() => {
      if (!raw.complete) raw.destroy();
    }, HTTP_REQUEST_TIMEOUT_MS);
    raw.once("close", () => clearTimeout(timer));
  });
}

/**
 * Closes TCP connections above a limit, whether or not anything is sent on them.
 * @param onTooMany called for each closed connection
 */
export function limitTcp(server: Server, open: ConnectionLimit, onTooMany: () => void): void {
  // One shared function for all connections, called with the connection as `this`.
  function onClose(this: Socket): void {
    open.release(normalizeAddress(this.remoteAddress!));
  }
  server.on("connection", (socket: Socket) => {
    // Without a remote address the connection is already closed.
    if (socket.remoteAddress === undefined) return;
    if (open.take(normalizeAddress(socket.remoteAddress))) {
      socket.on("close", onClose);
      return;
    }
    onTooMany();
    socket.destroy();
  });
}
