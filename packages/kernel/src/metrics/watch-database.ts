import type { Connection } from "mongoose";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { readGauge } from "./read-gauge.ts";

/** A connection of one server's pool. */
interface Pooled {
  address: string;
  connectionId: number | "<monitor>";
}

/**
 * Watches the driver's pool: a connection is taken for one command and given back with its answer. The driver would also tell of
 * each command with its name, but decodes every answer twice for that, a tenth to a third of what a command costs here.
 * @param database is connected, and nothing is under way on it
 */
export function watchDatabase(registry: Registry, database: Connection): void {
  const client = database.getClient();
  const registers = [registry];
  const duration = new Histogram({
    name: "fanfare_database_command_duration_seconds",
    help: "From a command's connection being taken to its being given back: the way to the database, and its work.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const waited = new Histogram({
    name: "fanfare_database_checkout_duration_seconds",
    help: "What a command waited for a connection.",
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5],
    registers,
  });
  const failures = new Counter({
    name: "fanfare_database_failures_total",
    help: "Faults of the way to the database: 'checkout' no connection was to be had, 'pool_cleared' all were given up because one broke, 'heartbeat' a server did not answer the driver.",
    labelNames: ["kind"],
    registers,
  });
  for (const kind of ["checkout", "pool_cleared", "heartbeat"]) failures.inc({ kind }, 0);
  const taken = new Map<string, number>();
  let waiting = 0;
  readGauge({
    name: "fanfare_database_connections_in_use",
    help: "Connections to the database that are under way with a command.",
    registry,
    read: () => taken.size,
  });
  readGauge({
    name: "fanfare_database_commands_waiting",
    help: "Commands that wait for a connection.",
    registry,
    read: () => Math.max(0, waiting),
  });
  new Gauge({
    name: "fanfare_database_connections_max",
    help: "Connections to one server of the database at most.",
    registers,
  }).set(client.options.maxPoolSize);

  const key = ({ address, connectionId }: Pooled): string => `${address} ${connectionId}`;
  const secondsSince = (sinceMs: number): number => (performance.now() - sinceMs) / 1000;
  client.on("connectionCheckOutStarted", () => void (waiting += 1));
  client.on("connectionCheckedOut", (event) => {
    waiting -= 1;
    waited.observe(event.durationMS / 1000);
    taken.set(key(event), performance.now());
  });
  client.on("connectionCheckOutFailed", () => {
    waiting -= 1;
    failures.inc({ kind: "checkout" });
  });
  client.on("connectionCheckedIn", (event) => {
    const sinceMs = taken.get(key(event));
    if (sinceMs === undefined) return;
    taken.delete(key(event));
    duration.observe(secondsSince(sinceMs));
  });
  client.on("connectionClosed", (event) => void taken.delete(key(event)));
  client.on("connectionPoolCleared", () => failures.inc({ kind: "pool_cleared" }));
  client.on("serverHeartbeatFailed", () => failures.inc({ kind: "heartbeat" }));
}
