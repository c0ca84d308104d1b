import { OVERLOADED_METRIC, readGauge, type NodeContext } from "@fanfare/kernel";
import type { Calls } from "./calls.ts";
import type { MaintenanceMode } from "./maintenance.ts";

export interface GatewayState {
  node: NodeContext;
  calls: Calls;
  maintenance: MaintenanceMode;
  /** Sockets that all threads take together. */
  maxSockets: number;
}

/** What a gateway is doing at the moment it is asked, and how much it may. */
export function exposeGatewayState({ node, calls, maintenance, maxSockets }: GatewayState): void {
  const registry = node.metrics;
  readGauge({
    name: "fanfare_connections_max",
    help: "Sockets that may be connected, by MAX_CONNECTIONS and the limit of open files.",
    registry,
    aggregator: "max",
    read: () => maxSockets,
  });
  readGauge({
    name: "fanfare_requests_active",
    help: "Calls from outside that a service is working on, and connections being set up; also those that were given up on.",
    registry,
    read: () => calls.inFlight,
  });
  readGauge({
    name: "fanfare_requests_active_max",
    help: "Calls and connections that may be under way at once: it shrinks while they wait too long.",
    registry,
    read: () => calls.admission.limit,
  });
  readGauge({
    name: "fanfare_request_delay_seconds",
    help: "How much longer than usual the median call takes, or how late the event loop is.",
    registry,
    aggregator: "max",
    read: () => calls.admission.delayMs / 1000,
  });
  readGauge({
    name: OVERLOADED_METRIC,
    help: "How long calls have been refused, or slow; 0: there is no overload.",
    registry,
    aggregator: "max",
    read: () => calls.admission.overloadedForMs / 1000,
  });
  readGauge({
    name: "fanfare_maintenance",
    help: "1 during maintenance: nothing can be changed.",
    registry,
    aggregator: "max",
    read: () => (maintenance.refusal() === null ? 0 : 1),
  });
}
