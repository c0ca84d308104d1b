import type { Socket } from "socket.io";
import { FanoutAdapter } from "./adapter.ts";

/**
 * Lets go of the HTTP request that opened the connection. Call it when the
 * handshake has been read: `socket.request` is gone afterwards, `socket.handshake` stays.
 * Source: https://socket.io/docs/v4/memory-usage/
 */
export function slimSocket(socket: Socket): void {
  Reflect.set(socket.conn, "request", null);
}

/**
 * Joins `socket` into the rooms that `fetchRooms` answers, except those it was removed from while the answer was on
 * its way: a member removed in that moment stays out. To be reachable by `socketsLeave(room, …)` the socket must be in
 * `room` (say, `user:<id>`) before this is called.
 *
 * @returns the rooms joined; none when the socket has disconnected in the meantime.
 * @throws whatever `fetchRooms` throws, or an Error when the server does not use this package's adapter.
 */
export async function joinFresh(
  socket: Socket,
  fetchRooms: () => Promise<readonly string[]>,
): Promise<string[]> {
  const { adapter } = socket.nsp;
  if (!(adapter instanceof FanoutAdapter)) {
    throw new Error(
      "joinFresh needs the fan-out adapter: new Server(http, { adapter: createFanoutAdapter() }).",
    );
  }
  return adapter.joinFresh(socket, fetchRooms);
}

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

/**
 * Whether more than `maxBufferedBytes` wait for a socket to read them. Nothing is read from it then, but calls that had arrived before
 * can still follow: answering them adds to what waits.
 * @returns false where the server does not use this package's adapter
 */
export function isSlow(socket: Socket): boolean {
  const { adapter } = socket.nsp;
  return adapter instanceof FanoutAdapter && adapter.isSlow(socket);
}
