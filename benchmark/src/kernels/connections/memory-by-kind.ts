import { processMemory } from "../broadcast/process-usage.ts";
import type { Platform } from "../../platform/platform.ts";

/**
 * Resident memory by kind of process (gateway, worker, database, …). A single instance counts as "instance" and
 * "database".
 * @returns null if the system doesn't report it
 */
export function memoryByKind({ processes, workers }: Platform): Record<string, number> | null {
  const byKind: Record<string, number> = {};
  const add = (kind: string, bytes: number) => (byKind[kind] = (byKind[kind] ?? 0) + bytes);
  for (const { name, pid } of processes) {
    const memory = processMemory(pid);
    if (memory === null) return null;
    if (workers === 0) {
      add("instance", memory.ownBytes);
      add("database", memory.childrenBytes);
    } else {
      // gateway-2 is a gateway.
      add(name.replace(/-\d+$/, ""), memory.ownBytes + memory.childrenBytes);
    }
  }
  return byKind;
}
