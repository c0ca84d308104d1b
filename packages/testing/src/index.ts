export { must, post, postRaw } from "./api.ts";
export { createCast, createStage, MODERATOR_PERMISSIONS, type Cast, type Stage } from "./cast.ts";
export { startServer, type LaunchOptions } from "./launch.ts";
export { hasLiveKit, startLiveKit, type LiveKitOptions, type LiveKitServer } from "./livekit.ts";
export { makeZip } from "./make-zip.ts";
export { freePort, freeUdpPort } from "./ports.ts";
export { ServerProcess } from "./server-process.ts";
export {
  isInstalled,
  isOnPath,
  PROJECT_FOLDER,
  startDatabase,
  startNats,
  startRedis,
  type NatsServer,
} from "./servers.ts";
export { TcpProxy } from "./tcp-proxy.ts";
export { SLOW_NETWORK, UdpRelay, type Network } from "./udp-relay.ts";
export { createAccount, createGuest, createWorld, type Person, type World } from "./world.ts";
