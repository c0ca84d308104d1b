import type { Server, Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { HTTP_REQUEST_TIMEOUT_MS } from "./bounds.ts";
import { normaliseAddress } from "./client-address.ts";
import type { ConnectionLimit } from "./connection-limit.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Its bodies may take longer than others. */
    slow?: boolean;
  }
}

/** Closes connections whose request does not come to its end in time. Node itself has one limit for all requests. */
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
 * Closes the TCP connections above a limit, whatever is or is not sent on them.
 * @param onTooMany called for each that is closed
 */
export function limitTcp(server: Server, open: ConnectionLimit, onTooMany: () => void): void {
  // One function for all connections: each is called with its connection as `this`.
  function onClose(this: Socket): void {
    open.release(normaliseAddress(this.remoteAddress!));
  }
  server.on("connection", (socket: Socket) => {
    // Without one the connection is gone already.
    if (socket.remoteAddress === undefined) return;
    if (open.take(normaliseAddress(socket.remoteAddress))) {
      socket.on("close", onClose);
      return;
    }
    onTooMany();
    socket.destroy();
  });
}
