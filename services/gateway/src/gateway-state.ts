import { readGauge, type NodeContext } from "@fanfare/kernel";
import type { Calls } from "./calls.ts";
import type { MaintenanceMode } from "./maintenance.ts";

export interface GatewayState {
  node: NodeContext;
  calls: Calls;
  maintenance: MaintenanceMode;
}

/** What a gateway is doing at the moment it is asked, and how much it may. */
export function exposeGatewayState({ node, calls, maintenance }: GatewayState): void {
  const registry = node.metrics;
  readGauge({
    name: "fanfare_connections_max",
    help: "Sockets that may be connected, by MAX_CONNECTIONS.",
    registry,
    read: () => node.config.maxConnections,
  });
  readGauge({
    name: "fanfare_requests_active",
    help: "Calls from outside that a service is working on.",
    registry,
    read: () => calls.inFlight,
  });
  readGauge({
    name: "fanfare_maintenance",
    help: "1 during maintenance: nothing can be changed.",
    registry,
    aggregator: "max",
    read: () => (maintenance.refusal() === null ? 0 : 1),
  });
}
