export { must, post, postRaw } from "./api.ts";
export { startInstance, type Instance } from "./instance.ts";
export { startNats, type NatsServer } from "./nats.ts";
export { isInstalled } from "./programs.ts";
export { createAccount, createGuest, createWorld, type Person, type World } from "./world.ts";
