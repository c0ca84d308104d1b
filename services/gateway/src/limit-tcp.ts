import type { Server, Socket } from "node:net";
import { normaliseAddress } from "./client-address.ts";
import type { ConnectionLimit } from "./connection-limit.ts";

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
