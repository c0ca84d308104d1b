export { createFanoutAdapter } from "./adapter.ts";
export { emitDirectly } from "./emit-directly.ts";
export type { Emitter } from "./emitter.ts";
export { joinFresh } from "./join-fresh.ts";
export { LocalFanout } from "./local-fanout.ts";
export type { BroadcastStats, FanoutAdapterOptions } from "./options.ts";
export { slimSocket } from "./slim-socket.ts";
