import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import { Gauge, type Registry } from "prom-client";
import { PROGRAM_VERSION } from "../program-version.ts";
import { readGauge } from "./read-gauge.ts";

export interface ProcessFacts {
  services: readonly string[];
  /** Where it stores; null: nowhere. */
  engine: "embedded" | "mongodb" | null;
  isReady: () => boolean;
}

/** What this process is, and what it may use. */
export function describeProcess(registry: Registry, { services, engine, isReady }: ProcessFacts): void {
  const registers = [registry];
  const info = new Gauge({
    name: "fanfare_build_info",
    help: "1, with the version of Fanfare and of Node, and where it stores: embedded, mongodb or none.",
    labelNames: ["version", "node_version", "engine"],
    registers,
  });
  info.set({ version: PROGRAM_VERSION, node_version: process.version, engine: engine ?? "none" }, 1);
  const hosted = new Gauge({
    name: "fanfare_service_info",
    help: "1 for each service that this process hosts.",
    labelNames: ["service"],
    registers,
  });
  for (const service of services) hosted.set({ service }, 1);
  readGauge({
    name: "fanfare_ready",
    help: "1 while /readyz says yes, 0 while it gives a reason.",
    registry,
    read: () => (isReady() ? 1 : 0),
  });
  readGauge({
    name: "fanfare_memory_limit_bytes",
    help: "Memory that this process may have: that of its container, or of the machine.",
    registry,
    read: memoryLimit,
  });
  new Gauge({
    name: "nodejs_heap_size_limit_bytes",
    help: "Size of the heap at which the main thread ends.",
    registers,
  }).set(getHeapStatistics().heap_size_limit);
}

/** Without a limit of its own the system says a number beyond all memory, or none. */
function memoryLimit(): number {
  const own = process.constrainedMemory();
  const all = totalmem();
  return own > 0 && own < all ? own : all;
}
