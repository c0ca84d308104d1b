export { hasLiveKit, startLiveKit, type LiveKitOptions, type LiveKitServer } from "./livekit.ts";
export { makeZip } from "./make-zip.ts";
export { freePort, freeUdpPort } from "./ports.ts";
export { ServerProcess } from "./server-process.ts";
export {
  isInstalled,
  isOnPath,
  type LaunchOptions,
  PROJECT_FOLDER,
  startDatabase,
  startNats,
  startRedis,
  startServer,
  type NatsServer,
} from "./servers.ts";
export { TcpProxy } from "./tcp-proxy.ts";
export { SLOW_NETWORK, UdpRelay, type Network } from "./udp-relay.ts";
export * from "./world.ts";
