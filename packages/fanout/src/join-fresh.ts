import type { Socket } from "socket.io";
import { FanoutAdapter } from "./adapter.ts";

/**
 * Joins `socket` into the rooms that `fetchRooms` answers, except those it was told to leave while the answer was on
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
