import type { Socket } from "socket.io";
import { FanoutAdapter } from "./adapter.ts";

/**
 * `socket.emit(event, payload)`, in the same order with everything else, but past Engine.IO, which makes a packet wait
 * until the one before has been written: so both can leave in one write where the connection is corked.
 *
 * @throws Error when the server does not use this package's adapter.
 */
export function emitDirectly(socket: Socket, event: string, payload: unknown): void {
  const { adapter } = socket.nsp;
  if (!(adapter instanceof FanoutAdapter)) {
    throw new Error(
      "emitDirectly needs the fan-out adapter: new Server(http, { adapter: createFanoutAdapter() }).",
    );
  }
  adapter.emitDirectly(socket, event, payload);
}
