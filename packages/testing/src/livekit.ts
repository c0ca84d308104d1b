import { type LaunchOptions, startServer, writeConfig, isInstalled } from "./servers.ts";
import { freeUdpPort } from "./ports.ts";
import type { ServerProcess } from "./server-process.ts";

const PROGRAM = "livekit-server";
const DISCARD_PORT = 9;

export interface LiveKitOptions extends LaunchOptions {
  /** The API key, and its secret of 32 or more characters. */
  key: string;
  secret: string;
  /** Where LiveKit posts what happens in its rooms. Default: nowhere. */
  webhookUrl?: string;
}

/** `url` is for clients, as LIVEKIT_URL; `serverUrl` for servers, as LIVEKIT_SERVER_URL. Clients send media to the UDP port `mediaPort`. */
export type LiveKitServer = ServerProcess & { serverUrl: string; mediaPort: number };

/** Whether tests can call `startLiveKit`: `describe.skipIf(!hasLiveKit())`. Throws like `isInstalled`. */
export const hasLiveKit = (): boolean => isInstalled(PROGRAM);

/**
 * Starts a livekit-server that only uses 127.0.0.1. Media goes over UDP: LiveKit would listen for media over TCP on all addresses.
 * @throws {Error} if it doesn't start
 */
export async function startLiveKit(options: LiveKitOptions): Promise<LiveKitServer> {
  const { key, secret, webhookUrl } = options;
  const mediaPort = await freeUdpPort();
  const server = await startServer("livekit", options, ({ port, folder }) => {
    const config = {
      port,
      bind_addresses: ["127.0.0.1"],
      rtc: {
        udp_port: mediaPort,
        tcp_port: 0,
        node_ip: "127.0.0.1",
        ips: { includes: ["127.0.0.1/32"] },
        enable_loopback_candidate: true,
        use_external_ip: false,
        // Nothing listens there. By default, clients would ask public servers for their address.
        stun_servers: [`127.0.0.1:${DISCARD_PORT}`],
      },
      keys: { [key]: secret },
      ...(webhookUrl === undefined ? {} : { webhook: { api_key: key, urls: [webhookUrl] } }),
    };
    return {
      command: PROGRAM,
      // YAML includes JSON.
      args: ["--config", writeConfig(folder, "livekit.yaml", [JSON.stringify(config)])],
      url: `ws://127.0.0.1:${port}`,
      isReady: async () => (await fetch(`http://127.0.0.1:${port}/`)).ok,
      // After a SIGTERM, it would wait until everyone has left.
      stopSignal: "SIGKILL",
    };
  });
  return Object.assign(server, { serverUrl: server.url.replace("ws:", "http:"), mediaPort });
}
