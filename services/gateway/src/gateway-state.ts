import { setTimeout as delay } from "node:timers/promises";
import {
  type NodeContext,
  OVERLOADED_METRIC,
  readGauge,
  serviceError,
  type ServiceError,
} from "@fanfare/kernel";
import { ERRORS, type Maintenance } from "@fanfare/contract";
import type { Calls } from "./calls.ts";
import { MAINTENANCE_RETRY_MS, MAINTENANCE_WAIT_MS, PAUSED_CALL_RETRY_MS } from "./constants.ts";

interface GatewayState {
  node: NodeContext;
  calls: Calls;
  maintenance: MaintenanceMode;
  /** Limit of sockets across all threads. */
  maxSockets: number;
}

/** Exposes the current state and limits of a gateway as metrics. */
export function exposeGatewayState({ node, calls, maintenance, maxSockets }: GatewayState): void {
  const registry = node.metrics;
  readGauge({
    name: "fanfare_connections_max",
    help: "Maximum number of sockets, from MAX_CONNECTIONS and the limit of open files.",
    registry,
    aggregator: "max",
    read: () => maxSockets,
  });
  readGauge({
    name: "fanfare_requests_active",
    help: "Calls from clients and new connections in progress, including those whose caller has given up.",
    registry,
    read: () => calls.inFlight,
  });
  readGauge({
    name: "fanfare_requests_active_max",
    help: "Current limit of concurrent calls and connections. It shrinks while they wait too long.",
    registry,
    read: () => calls.admission.limit,
  });
  readGauge({
    name: "fanfare_request_delay_seconds",
    help: "How much longer than usual the median call takes, or the event loop delay if that is longer, in seconds.",
    registry,
    aggregator: "max",
    read: () => calls.admission.delayMs / 1000,
  });
  readGauge({
    name: OVERLOADED_METRIC,
    help: "Seconds since calls have been refused or slow; 0 if the gateway is not overloaded.",
    registry,
    aggregator: "max",
    read: () => calls.admission.overloadedForMs / 1000,
  });
  readGauge({
    name: "fanfare_maintenance",
    help: "1 while the server is in maintenance mode.",
    registry,
    aggregator: "max",
    read: () => (maintenance.refusal() === null ? 0 : 1),
  });
}

/** Whether maintenance mode is on: read at startup, then updated by events. */
export class MaintenanceMode {
  readonly #node: Pick<NodeContext, "services" | "logger">;
  readonly #signal: AbortSignal;
  readonly #onChange: (maintenance: Maintenance) => void;
  #now: Maintenance = { enabled: false, message: "" };
  /** Counts events, so that a slower response doesn't overwrite a newer state. */
  #eventCount = 0;

  constructor(
    node: Pick<NodeContext, "services" | "logger">,
    signal: AbortSignal,
    onChange: (maintenance: Maintenance) => void,
  ) {
    this.#node = node;
    this.#signal = signal;
    this.#onChange = onChange;
  }

  get now(): Maintenance {
    return this.#now;
  }

  /** The error for rejected changes; null without maintenance. */
  refusal(): ServiceError | null {
    if (!this.#now.enabled) return null;
    const message = this.#now.message === "" ? ERRORS.MAINTENANCE.message : this.#now.message;
    return serviceError("MAINTENANCE", { message, retryAfterMs: PAUSED_CALL_RETRY_MS });
  }

  setMaintenance(maintenance: Maintenance): void {
    this.#eventCount += 1;
    this.#set(maintenance);
  }

  /** Call this when events may have been lost. */
  reload(): void {
    void this.#loadUntilKnown();
  }

  /**
   * Resolves when the state is known. Without a response the gateway starts serving after a moment and keeps retrying, because
   * serving doesn't depend on this service.
   */
  async start(): Promise<void> {
    await Promise.race([
      this.#loadUntilKnown(),
      delay(MAINTENANCE_WAIT_MS, undefined, { signal: this.#signal }).catch(() => {}),
    ]);
  }

  #set(maintenance: Maintenance): void {
    const { enabled, message } = this.#now;
    this.#now = maintenance;
    if (maintenance.enabled !== enabled || maintenance.message !== message) this.#onChange(maintenance);
  }

  async #loadUntilKnown(): Promise<void> {
    while (!this.#signal.aborted) {
      const eventCount = this.#eventCount;
      try {
        const maintenance = await this.#node.services.admin.getMaintenance({});
        if (this.#eventCount === eventCount) this.#set(maintenance);
        return;
      } catch (error) {
        this.#node.logger.debug({ err: error }, "maintenance state unknown");
        await delay(MAINTENANCE_RETRY_MS, undefined, { ref: false });
      }
    }
  }
}
