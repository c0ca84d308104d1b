import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "./metrics.ts";

export interface OpsServer {
  port: number;
  close(): Promise<void>;
}

export interface OpsServerOptions {
  host: string;
  port: number;
  metrics: () => Promise<Registry>;
  /** Why this process cannot serve right now; empty when it can. */
  notReady: () => string[];
}

/**
 * Answers /livez (the event loop turns), /readyz (it can serve) and /metrics (Prometheus text), on a port of its own
 * that is not for the outside.
 */
export async function startOpsServer({
  host,
  port,
  metrics,
  notReady,
}: OpsServerOptions): Promise<OpsServer> {
  const server = createServer((request, response) => {
    const reply = (status: number, body: string, type = "text/plain; charset=utf-8"): void => {
      response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
    };
    if (request.method !== "GET") return reply(405, "Only GET is answered here.\n");
    switch (request.url) {
      case "/livez":
        return reply(200, "ok\n");
      case "/readyz": {
        const reasons = notReady();
        return reasons.length === 0 ? reply(200, "ok\n") : reply(503, `${reasons.join("\n")}\n`);
      }
      case "/metrics":
        metrics()
          .then(async (registry) => reply(200, await registry.metrics(), registry.contentType))
          .catch((error: unknown) => reply(500, `${String(error)}\n`));
        return;
      default:
        return reply(404, "Here are /livez, /readyz and /metrics.\n");
    }
  });
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
