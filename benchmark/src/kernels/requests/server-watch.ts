import { nowMs } from "../broadcast/clock.ts";
import { watchOtherPrograms } from "../broadcast/machine-load.ts";

interface WatchedServer {
  /** It runs on this machine. */
  isThrowaway: boolean;
  /** CPU time so far; null if unavailable. */
  cpuSeconds(): Promise<number | null>;
}

/** What was used during a watch; null if unknown. */
export interface ServerUse {
  cpuSeconds: number | null;
  /** Cores that the server kept busy on average. */
  cores: number | null;
  /** Cores used by unrelated programs. */
  otherProgramsCores: number | null;
}

/** @returns ends the watch */
export async function watchServer(server: WatchedServer): Promise<() => Promise<ServerUse>> {
  const before = await server.cpuSeconds();
  const endWatch = before === null || !server.isThrowaway ? undefined : watchOtherPrograms(before);
  const startedMs = nowMs();
  return async () => {
    const durationMs = nowMs() - startedMs;
    const after = await server.cpuSeconds();
    if (before === null || after === null) return { cpuSeconds: null, cores: null, otherProgramsCores: null };
    const cpuSeconds = after - before;
    return {
      cpuSeconds,
      cores: (cpuSeconds * 1000) / durationMs,
      otherProgramsCores: endWatch?.(after) ?? null,
    };
  };
}
