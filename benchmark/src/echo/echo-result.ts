import type { Percentiles } from "../measure/percentiles.ts";
import type { EchoServerName } from "./echo-servers.ts";

/** One server at one concurrency. */
export interface EchoRow {
  server: EchoServerName;
  concurrency: number;
  perSecond: number | null;
  /** Requests per second of the server's own CPU time. */
  perCpuSecond: number | null;
  latencyMs: Percentiles | null;
  acknowledged: number;
  /** Rejected, or not answered in time. */
  failed: number;
  /** The tester's share of a core: close to 1, the tester was the bottleneck. */
  testerBusy: number;
}

export interface EchoMeasurement {
  /** Of a response body. */
  bytes: number;
  rows: EchoRow[];
  /** Servers not measured because they aren't installed. */
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
