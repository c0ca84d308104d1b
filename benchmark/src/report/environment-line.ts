import { duration, mib } from "./format.ts";
import type { Environment } from "./environment.ts";

/** The date and the machine. */
export function environmentLine({
  environment,
  startedAt,
  durationMs,
}: {
  environment: Environment;
  startedAt: string;
  durationMs?: number;
}): string {
  return [
    `${startedAt.slice(0, 16).replace("T", " ")} UTC`,
    ...(durationMs === undefined ? [] : [`took ${duration(durationMs)}`]),
    machineLine(environment),
    `commit ${environment.commit ?? "unknown"}`,
  ].join(" · ");
}

export function machineLine({ cpu, cores, memoryBytes, os, node }: Environment): string {
  const gib = mib(memoryBytes / 1024).replace("MiB", "GiB");
  return `${cpu}, ${cores} cores, ${gib} of memory, ${os}, Node ${node.replace(/^v/, "")}`;
}
