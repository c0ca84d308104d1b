import { count, duration, mib } from "./format.ts";
import type { Result } from "./result.ts";

/** The date and the machine. */
export function environmentLine(
  result: Pick<Result, "startedAt" | "environment"> & { durationMs?: number },
): string {
  const { environment, startedAt, durationMs } = result;
  return [
    `${startedAt.slice(0, 16).replace("T", " ")} UTC`,
    ...(durationMs === undefined ? [] : [`took ${duration(durationMs)}`]),
    machineLine(environment),
    `commit ${environment.commit ?? "unknown"}`,
  ].join(" · ");
}

/** Number of gateway threads of the measured instance; "" if unknown, or the server was already running. */
export function gatewayThreadsText({ gatewayThreads }: Record<string, unknown>): string {
  return typeof gatewayThreads === "number" ? count(gatewayThreads, "gateway thread") : "";
}

export function machineLine({ cpu, cores, memoryBytes, os, node }: Result["environment"]): string {
  const gib = mib(memoryBytes / 1024).replace("MiB", "GiB");
  return `${cpu}, ${cores} cores, ${gib} of memory, ${os}, Node ${node.replace(/^v/, "")}`;
}
