import cluster from "node:cluster";
import type { Server } from "node:http";

/** Tells the parent when it listens, and exits with it. */
export function serveParent(server: Server, port: number): void {
  process.on("disconnect", () => process.exit());
  server.listen({ port, host: "127.0.0.1", backlog: 4096 }, () => process.send?.("listening"));
}

/** The same for several worker processes with one port. */
export function servePrimary(workers: number): void {
  process.on("disconnect", () => process.exit());
  let listening = 0;
  cluster.on("listening", () => {
    if (++listening === workers) process.send?.("listening");
  });
  for (let i = 0; i < workers; i++) cluster.fork();
}
