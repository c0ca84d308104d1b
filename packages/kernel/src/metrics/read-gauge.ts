import { Gauge, type Registry } from "prom-client";

export interface ReadGaugeOptions {
  name: string;
  help: string;
  registry: Registry;
  /** What the threads of one process make together; by default their sum. */
  aggregator?: "sum" | "max";
  read: () => number;
}

/** A gauge that is read when somebody asks: between two looks it costs nothing. */
export function readGauge({ name, help, registry, aggregator = "sum", read }: ReadGaugeOptions): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    aggregator,
    registers: [],
    collect: () => gauge.set(read()),
  });
  registry.registerMetric(gauge);
}
