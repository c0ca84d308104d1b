import { once } from "node:events";
import { createServer } from "node:net";

/** Below Linux' ephemeral ports, 10,000 of which will be needed. */
const LISTEN_PORTS = { first: 20_000, last: 32_000 };

const handedOut = new Set<number>();

/** An unused loopback port; never the same one twice. */
export async function freePort(): Promise<number> {
  for (;;) {
    const { first, last } = LISTEN_PORTS;
    const port = first + Math.floor(Math.random() * (last - first));
    if (handedOut.has(port)) continue;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    handedOut.add(port);
    return port;
  }
}
