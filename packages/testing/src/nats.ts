import { startServer, writeConfig, type LaunchOptions, type PasswordOptions } from "./launch.ts";
import type { ServerProcess } from "./server-process.ts";
import { talk } from "./talk.ts";

export type NatsServer = ServerProcess;

const USER = "fanfare";

/**
 * Starts a real nats-server, on a free port unless one is given.
 * @throws {Error} when it does not start
 */
export function startNats(options: LaunchOptions & PasswordOptions = {}): Promise<NatsServer> {
  const { password } = options;
  return startServer("nats", options, ({ port, folder }) => {
    const authorization = `authorization { user: ${USER}, password: "${password}" }`;
    const config = password === undefined ? [] : ["-c", writeConfig(folder, "nats.conf", [authorization])];
    return {
      command: "nats-server",
      args: ["-a", "127.0.0.1", "-p", String(port), ...config],
      url: `nats://${password === undefined ? "" : `${USER}:${password}@`}127.0.0.1:${port}`,
      isReady: async () => (await talk(port, "")).startsWith("INFO"),
    };
  });
}
