import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "./metrics.ts";

interface OpsServer {
  port: number;
  close(): Promise<void>;
}

interface OpsServerOptions {
  host: string;
  port: number;
  metrics: () => Promise<Registry>;
  /** The reasons why this process can't serve; empty if it can. */
  notReady: () => string[];
  /** How long it has been rejecting calls because of overload, in seconds. */
  overloadedForSeconds: () => Promise<number>;
}

/**
 * Serves /livez (the event loop is running), /readyz (the process can serve) and /metrics (Prometheus text format) on a separate
 * port, which must not be public. An overloaded process stays ready: it rejects what is too much, and usually the others are as
 * busy, so without them there would be no one left to serve clients.
 */
export async function startOpsServer({
  host,
  port,
  metrics,
  notReady,
  overloadedForSeconds,
}: OpsServerOptions): Promise<OpsServer> {
  const server = createServer((request, response) => {
    const reply = (status: number, body: string, type = "text/plain; charset=utf-8"): void => {
      response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
    };
    if (request.method !== "GET") return reply(405, "Only GET is allowed.\n");
    switch (request.url) {
      case "/livez":
        return reply(200, "ok\n");
      case "/readyz": {
        const reasons = notReady();
        if (reasons.length > 0) return reply(503, `${reasons.join("\n")}\n`);
        overloadedForSeconds()
          .then((seconds) =>
            reply(
              200,
              seconds === 0 ? "ok\n" : `overloaded for ${Math.ceil(seconds)} s: some calls are rejected\n`,
            ),
          )
          .catch((error: unknown) => reply(500, `${String(error)}\n`));
        return;
      }
      case "/metrics":
        metrics()
          .then(async (registry) => reply(200, await registry.metrics(), registry.contentType))
          .catch((error: unknown) => reply(500, `${String(error)}\n`));
        return;
      default:
        return reply(404, "Available: /livez, /readyz and /metrics.\n");
    }
  });
  await once(server.listen(port, host), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
