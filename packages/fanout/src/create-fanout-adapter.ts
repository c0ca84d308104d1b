import type { Namespace, Socket } from "socket.io";
import type { Adapter } from "socket.io-adapter";
import { FanoutAdapter } from "./adapter.ts";
import { BusAdapter } from "./bus/bus-adapter.ts";
import {
  type BusAdapterOptions,
  type FanoutAdapterOptions,
  resolveBusOptions,
  resolveOptions,
} from "./options.ts";

/**
 * Creates an adapter for Socket.IO: `new Server(http, { adapter: createFanoutAdapter(), transports: ["websocket"] })`.
 * The fast path requires Socket.IO's default parser, WebSocket from the start and `perMessageDeflate` off (the default). Binary
 * payloads, volatile and acknowledged broadcasts, and other transports and engines use Socket.IO's own path, in order with the rest.
 * Connection state recovery is not supported.
 *
 * With `bus`, the server is part of a cluster.
 *
 * @throws RangeError if an option is out of range.
 */
export function createFanoutAdapter(options: FanoutAdapterOptions & BusAdapterOptions = {}): typeof Adapter {
  const resolved = resolveOptions(options);
  const { bus } = options;
  if (bus === undefined) {
    return class extends FanoutAdapter {
      constructor(nsp: Namespace) {
        super(nsp, resolved);
      }
    };
  }
  const busOptions = resolveBusOptions({ ...options, bus });
  return class extends BusAdapter {
    constructor(nsp: Namespace) {
      super(nsp, resolved, busOptions);
    }
  };
}

/**
 * Releases the HTTP request that opened the connection, which saves memory. Call it once the handshake has been read:
 * `socket.request` is unavailable afterwards, but `socket.handshake` stays.
 * Source: https://socket.io/docs/v4/memory-usage/
 */
export function slimSocket(socket: Socket): void {
  Reflect.set(socket.conn, "request", null);
}

/**
 * Joins `socket` to the rooms that `fetchRooms` returns, except those that it was removed from during the fetch, so that a concurrent
 * removal isn't lost. To be reachable by `socketsLeave(room, …)`, the socket must be in `room` (such as `user:<id>`) before the call.
 *
 * @returns the joined rooms; none if the socket disconnected during the fetch.
 * @throws the error of `fetchRooms`, or an Error if the server doesn't use this package's adapter.
 */
export async function joinFresh(
  socket: Socket,
  fetchRooms: () => Promise<readonly string[]>,
): Promise<string[]> {
  return adapterOf(socket).joinFresh(socket, fetchRooms);
}

/**
 * Like `socket.emit(event, payload)`, in order with everything else, but bypasses Engine.IO, which delays a packet until the previous
 * one has been written. So both can be sent in one write if the connection is corked.
 *
 * @throws Error if the server doesn't use this package's adapter.
 */
export function emitDirectly(socket: Socket, event: string, payload: unknown): void {
  adapterOf(socket).emitDirectly(socket, event, payload);
}

/**
 * Whether more than `maxBufferedBytes` are buffered for a socket. Reading from it is paused then, but calls received before can still
 * follow, and their responses add to the buffer.
 * @returns false if the server doesn't use this package's adapter
 */
export function isSlow(socket: Socket): boolean {
  const { adapter } = socket.nsp;
  return adapter instanceof FanoutAdapter && adapter.isSlow(socket);
}

function adapterOf({ nsp: { adapter } }: Socket): FanoutAdapter {
  if (adapter instanceof FanoutAdapter) return adapter;
  throw new Error("This needs the fan-out adapter: new Server(http, { adapter: createFanoutAdapter() }).");
}
