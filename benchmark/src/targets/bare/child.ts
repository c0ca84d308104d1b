import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FromBareServer, ToBareServer } from "./messages.ts";

/** Listens on a free loopback port, reports it to the parent, answers its requests and exits with it. */
export function serveParent(server: Server): void {
  const say = (message: FromBareServer) => process.send?.(message);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  // It counts from tick to tick, so that the minimum is no delay.
  const delayMs = (nanoseconds: number) => Math.max(0, nanoseconds - delay.min) / 1e6;
  delay.enable();
  process.on("message", ({ restartLoopDelay }: ToBareServer) => {
    const { user, system } = process.cpuUsage();
    say({
      type: "usage",
      usage: {
        rssBytes: process.memoryUsage.rss(),
        cpuSeconds: (user + system) / 1e6,
        eventLoopP99Ms: delayMs(delay.percentile(99)),
        eventLoopMaxMs: delayMs(delay.max),
      },
    });
    if (restartLoopDelay) delay.reset();
  });
  process.on("disconnect", () => process.exit());
  // Ctrl-C reaches the whole process group; the parent decides when the server exits.
  process.on("SIGINT", () => {});
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () =>
    say({ type: "listening", port: (server.address() as AddressInfo).port }),
  );
}
