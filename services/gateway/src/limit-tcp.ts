import type { Server, Socket } from "node:net";
import { normaliseAddress } from "./client-address.ts";
import { Tally } from "./tally.ts";

/**
 * Closes the TCP connections of an address above `max`, whatever is or is not sent on them.
 * @param onTooMany called for each that is closed
 */
export function limitPerAddress(server: Server, max: number, onTooMany: () => void): void {
  const open = new Tally();
  // One function for all connections: each is called with its connection as `this`.
  function onClose(this: Socket): void {
    open.remove(normaliseAddress(this.remoteAddress!));
  }
  server.on("connection", (socket: Socket) => {
    // Without one the connection is gone already.
    if (socket.remoteAddress === undefined) return;
    const address = normaliseAddress(socket.remoteAddress);
    if (open.of(address) >= max) {
      onTooMany();
      socket.destroy();
      return;
    }
    open.add(address);
    socket.on("close", onClose);
  });
}
