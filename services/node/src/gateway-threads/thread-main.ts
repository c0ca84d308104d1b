import { parentPort, workerData } from "node:worker_threads";
import { createGatewayService } from "@fanfare/gateway";
import { startNode, threadMetrics } from "@fanfare/kernel";
import { onUncaughtError } from "../uncaught-errors.ts";
import type { FromThread, ThreadSetup, ToThread } from "./gateway-threads.ts";

/** A gateway thread, which listens on the same port as the others. */

const { config, bus, connections } = workerData as ThreadSetup;
const main = parentPort!;
const say = (message: FromThread): void => main.postMessage(message);
const fail = (error: unknown): void => say({ type: "failed", error: error as Error });

try {
  const gateway = await startNode(
    config,
    [(node) => createGatewayService(node, { sharedMemory: connections })],
    fail,
    { mainThread: bus },
  );
  onUncaughtError(gateway.context, () => say({ type: "crashed" }));
  main.on("message", (order: ToThread) => {
    if (order.type === "stop") void gateway.stop().then(() => say({ type: "stopped" }), fail);
    else if (order.type === "abandon") void gateway.abandon().then(() => say({ type: "abandoned" }), fail);
    else if (order.type === "check") say({ type: "alive" });
    else void sendMetrics(order.id, order.name);
  });
  say({ type: "listening" });

  async function sendMetrics(id: number, name: string | null): Promise<void> {
    say({ type: "metrics", id, metrics: await threadMetrics(gateway.context.metrics, name) });
  }
} catch (error) {
  fail(error);
}
