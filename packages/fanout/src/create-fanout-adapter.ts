import type { Namespace } from "socket.io";
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
