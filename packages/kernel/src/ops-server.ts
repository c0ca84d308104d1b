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
  /** For how many seconds it has refused calls because there were too many. */
  overloadedForSeconds: () => Promise<number>;
  /** Whether other processes can take its clients. */
  hasOthers: boolean;
}

/**
 * From here on a gateway with others beside it is not ready, so that new clients go elsewhere. A single instance stays ready:
 * it serves what it can, and nothing else would. /livez does not change, because a restart would make it worse.
 */
const OVERLOADED_NOT_READY_S = 30;

/**
 * Answers /livez (the event loop turns), /readyz (it can serve) and /metrics (Prometheus text), on a port of its own
 * that is not for the outside.
 */
export async function startOpsServer({
  host,
  port,
  metrics,
  notReady,
  overloadedForSeconds,
  hasOthers,
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
        if (reasons.length > 0) return reply(503, `${reasons.join("\n")}\n`);
        overloadedForSeconds()
          .then((seconds) => {
            const status = hasOthers && seconds >= OVERLOADED_NOT_READY_S ? 503 : 200;
            const isWell = seconds === 0;
            return reply(
              status,
              isWell ? "ok\n" : `overloaded for ${Math.ceil(seconds)} s: some calls are refused\n`,
            );
          })
          .catch((error: unknown) => reply(500, `${String(error)}\n`));
        return;
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
