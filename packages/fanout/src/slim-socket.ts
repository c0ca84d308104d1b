import type { Socket } from "socket.io";

/**
 * Lets go of the HTTP request that opened the connection. Call it when the
 * handshake has been read: `socket.request` is gone afterwards, `socket.handshake` stays.
 * Source: https://socket.io/docs/v4/memory-usage/
 */
export function slimSocket(socket: Socket): void {
  Reflect.set(socket.conn, "request", null);
}
