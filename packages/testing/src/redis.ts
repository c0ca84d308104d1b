import { startServer, writeConfig, type LaunchOptions, type PasswordOptions } from "./launch.ts";
import type { ServerProcess } from "./server-process.ts";
import { talk } from "./talk.ts";

/**
 * Starts a real redis-server, on a free port unless one is given. It keeps nothing on disk: whoever kills it has lost its data.
 * @throws {Error} when it does not start
 */
export function startRedis(options: LaunchOptions & PasswordOptions = {}): Promise<ServerProcess> {
  const { password } = options;
  return startServer("redis", options, ({ port, folder }) => ({
    command: "redis-server",
    args: [
      ...(password === undefined ? [] : [writeConfig(folder, "redis.conf", [`requirepass ${password}`])]),
      "--bind",
      "127.0.0.1",
      "--port",
      String(port),
      "--dir",
      folder,
      "--save",
      "",
      "--appendonly",
      "no",
    ],
    url: `redis://${password === undefined ? "" : `:${password}@`}127.0.0.1:${port}`,
    // Before the password is given too, it answers only when it serves.
    isReady: async () => /^(\+PONG|-NOAUTH)/.test(await talk(port, "PING\r\n")),
  }));
}
