export {
  hasLiveKit,
  startLiveKit,
  type LiveKitOptions,
  type LiveKitServer,
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
export { makeZip } from "./make-zip.ts";
export { freePort, freeUdpPort } from "./ports.ts";
export { ServerProcess } from "./server-process.ts";
export { TcpProxy, SLOW_NETWORK, UdpRelay, type Network } from "./relays.ts";
export * from "./world.ts";
