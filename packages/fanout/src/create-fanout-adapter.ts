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
 * The adapter to pass to Socket.IO: `new Server(http, { adapter: createFanoutAdapter(), transports: ["websocket"] })`.
 * Fast where the parser is Socket.IO's own, the transport WebSocket from the start and `perMessageDeflate` off (the
 * default). Binary payloads, volatile and acknowledged broadcasts, other transports and engines take Socket.IO's own
 * way, in order with the rest. Connection state recovery is not supported.
 *
 * With `bus` it is for one of several servers.
 *
 * @throws RangeError for an option out of range.
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
