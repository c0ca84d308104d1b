import type { Socket } from "socket.io";
import { FanoutAdapter } from "./adapter.ts";

/**
 * Whether more than `maxBufferedBytes` wait for a socket to read them. Nothing is read from it then, but calls that had arrived before
 * can still follow: answering them adds to what waits.
 * @returns false where the server does not use this package's adapter
 */
export function isSlow(socket: Socket): boolean {
  const { adapter } = socket.nsp;
  return adapter instanceof FanoutAdapter && adapter.isSlow(socket);
}
