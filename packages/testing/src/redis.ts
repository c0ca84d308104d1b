import { startServer, type LaunchOptions } from "./launch.ts";
import type { ServerProcess } from "./server-process.ts";
import { talk } from "./talk.ts";

/**
 * Starts a real redis-server, on a free port unless one is given. It keeps nothing on disk: whoever kills it has lost its data.
 * @throws {Error} when it does not start
 */
export function startRedis(options: LaunchOptions = {}): Promise<ServerProcess> {
  return startServer("redis", options, ({ port, folder }) => ({
    command: "redis-server",
    args: [
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
    url: `redis://127.0.0.1:${port}`,
    isReady: async () => (await talk(port, "PING\r\n")).startsWith("+PONG"),
  }));
}
