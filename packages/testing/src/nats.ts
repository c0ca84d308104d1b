import { startServer, type LaunchOptions } from "./launch.ts";
import type { ServerProcess } from "./server-process.ts";
import { talk } from "./talk.ts";

export type NatsServer = ServerProcess;

/**
 * Starts a real nats-server, on a free port unless one is given.
 * @throws {Error} when it does not start
 */
export function startNats(options: LaunchOptions = {}): Promise<NatsServer> {
  return startServer("nats", options, ({ port }) => ({
    command: "nats-server",
    args: ["-a", "127.0.0.1", "-p", String(port)],
    url: `nats://127.0.0.1:${port}`,
    isReady: async () => (await talk(port, "")).startsWith("INFO"),
  }));
}
