import type { ServiceBroker } from "moleculer";
import type { Registry } from "prom-client";
import { readGauge } from "./read-gauge.ts";

/** What this process knows of the others that it calls. */
export function watchBroker(registry: Registry, broker: ServiceBroker): void {
  if (broker.transit === undefined) return;
  readGauge({
    name: "fanfare_calls_pending",
    help: "Calls to other processes that are not answered yet.",
    registry,
    read: () => broker.transit?.pendingRequests.size ?? 0,
  });
  readGauge({
    name: "fanfare_known_nodes",
    help: "Brokers that this one can call, itself included: one in each process, and in each gateway's thread.",
    registry,
    aggregator: "max",
    read: () => broker.registry.nodes.toArray().filter(({ available }) => available).length,
  });
}
