export type { FanoutBus, Interruption } from "./bus/bus.ts";
export type { BusAdapterOptions, Reception, ResyncReason } from "./bus/bus-options.ts";
export {
  connectNatsBus,
  type ConnectNatsBusOptions,
  type NatsBus,
  natsBus,
  type NatsBusOptions,
} from "./bus/nats-bus.ts";
export { Assembly, cut, type Piece } from "./bus/pieces.ts";
export { createFanoutAdapter } from "./create-fanout-adapter.ts";
export { emitDirectly } from "./emit-directly.ts";
export { Emitter, type EmitterOptions } from "./emitter.ts";
export { isSlow } from "./is-slow.ts";
export { joinFresh } from "./join-fresh.ts";
export type { BroadcastStats, FanoutAdapterOptions } from "./options.ts";
export { slimSocket } from "./slim-socket.ts";
