import cluster from "node:cluster";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { ServerUsage } from "../target.ts";
import type { FromBareServer, ToBareServer } from "./messages.ts";

/** Listens on a free loopback port, reports it to the parent, answers its requests and exits with it. */
export function serveParent(server: Server): void {
  const usage = watchUsage();
  answerParent((restartLoopDelay) => say({ type: "usage", usage: usage(restartLoopDelay) }));
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () =>
    say({ type: "listening", port: (server.address() as AddressInfo).port }),
  );
}

/** The same for several worker processes with one port. Its usage is theirs together. */
export function servePrimary(workers: number): void {
  const usage = watchUsage();
  let listening = 0;
  let answers: ServerUsage[] = [];
  answerParent((restartLoopDelay) => {
    answers = [usage(restartLoopDelay)];
    for (const worker of Object.values(cluster.workers!)) worker!.send({ type: "usage", restartLoopDelay });
  });
  cluster.on("message", (_worker, message: FromBareServer) => {
    if (message.type === "listening" && ++listening === workers) say(message);
    if (message.type === "usage" && answers.push(message.usage) === workers + 1)
      say({ type: "usage", usage: total(answers) });
  });
  for (let i = 0; i < workers; i++) cluster.fork();
}

const say = (message: FromBareServer) => process.send?.(message);

function answerParent(onUsage: (restartLoopDelay: boolean) => void): void {
  process.on("message", (message: ToBareServer) => {
    if (message.type === "usage") onUsage(message.restartLoopDelay);
  });
  process.on("disconnect", () => process.exit());
  // Ctrl-C reaches the whole process group; the parent decides when the server exits.
  process.on("SIGINT", () => {});
}

/** @returns the usage of this process so far */
function watchUsage(): (restartLoopDelay: boolean) => ServerUsage {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  // It counts from tick to tick, so that the minimum is no delay.
  const delayMs = (nanoseconds: number) => Math.max(0, nanoseconds - delay.min) / 1e6;
  delay.enable();
  return (restartLoopDelay) => {
    const { user, system } = process.cpuUsage();
    const usage = {
      rssBytes: process.memoryUsage.rss(),
      cpuSeconds: (user + system) / 1e6,
      eventLoopP99Ms: delayMs(delay.percentile(99)),
      eventLoopMaxMs: delayMs(delay.max),
    };
    if (restartLoopDelay) delay.reset();
    return usage;
  };
}

function total(all: readonly ServerUsage[]): ServerUsage {
  const of = (key: keyof ServerUsage) => all.map((usage) => usage[key] ?? 0);
  const sum = (values: readonly number[]) => values.reduce((result, value) => result + value, 0);
  return {
    rssBytes: sum(of("rssBytes")),
    cpuSeconds: sum(of("cpuSeconds")),
    eventLoopP99Ms: Math.max(...of("eventLoopP99Ms")),
    eventLoopMaxMs: Math.max(...of("eventLoopMaxMs")),
  };
}
