import type { Percentiles } from "../measure/percentiles.ts";
import type { EchoServerName } from "./echo-servers.ts";

/** One server with so many requests on their way at the same time. */
export interface EchoRow {
  server: EchoServerName;
  concurrency: number;
  perSecond: number | null;
  /** Requests per second of its own CPU time. */
  perCpuSecond: number | null;
  latencyMs: Percentiles | null;
  acknowledged: number;
  /** Refused, or not answered in time. */
  failed: number;
  /** The tester's share of a core meanwhile: near 1, and the tester was what limits. */
  testerBusy: number;
}

export interface EchoMeasurement {
  /** Of the body of an answer. */
  bytes: number;
  rows: EchoRow[];
  /** Servers that are not there because they are not installed. */
  missing: EchoServerName[];
  errors: { phase: string; code: string; count: number }[];
}

export const ECHO_METRICS = [
  "fastifyPerSecond",
  "nodePerSecond",
  "nginxPerSecond",
  "fastifyVsNginx",
  "failed",
];

/** The best of all concurrencies. */
export function bestPerSecond(rows: readonly EchoRow[], server: EchoServerName): number | null {
  const rates = rows.filter((row) => row.server === server).map((row) => row.perSecond ?? 0);
  return rates.length === 0 ? null : Math.max(...rates);
}

export function echoMetrics({ rows }: Pick<EchoMeasurement, "rows">): Record<string, number | null> {
  const [fastify, node, nginx] = (["fastify", "node", "nginx"] as const).map((name) =>
    bestPerSecond(rows, name),
  );
  return {
    fastifyPerSecond: fastify!,
    nodePerSecond: node!,
    nginxPerSecond: nginx!,
    fastifyVsNginx: fastify && nginx ? fastify / nginx : null,
    failed: rows.reduce((sum, { failed }) => sum + failed, 0),
  };
}
