export type { Bus, Interruption } from "./bus/bus.ts";
export {
  connectNatsBus,
  type ConnectNatsBusOptions,
  type NatsBus,
  natsBus,
  type NatsBusOptions,
} from "./bus/nats-bus.ts";
export { Assembly, cut, type Piece } from "./bus/wire.ts";
export { type ThreadBus, threadBus, ThreadHub, ThreadSpoke } from "./bus/thread-bus.ts";
export { createFanoutAdapter, emitDirectly, isSlow, joinFresh, slimSocket } from "./create-fanout-adapter.ts";
export { Emitter, type EmitterOptions } from "./emitter.ts";
export type {
  BroadcastStats,
  BusAdapterOptions,
  FanoutAdapterOptions,
  Reception,
  ResyncReason,
} from "./options.ts";
