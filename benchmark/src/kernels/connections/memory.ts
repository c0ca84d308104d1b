import type { Platform } from "../../platform/platform.ts";
import { readText } from "../../report/environment.ts";
import { mapValues } from "../broadcast/percentiles.ts";
import type { ProcessUsage } from "../broadcast/resource-use.ts";

/** sockstat counts pages: 4 KiB on x86-64 and on most arm64 systems. */
const PAGE_BYTES = 4096;

/** Memory of this machine's kernel, for all programs together: all kernel objects, and data in the buffers of TCP sockets. null: unknown. */
export function readKernelBytes(): number | null {
  const meminfo = readText("/proc/meminfo");
  const sockstat = readText("/proc/net/sockstat");
  if (meminfo === undefined || sockstat === undefined) return null;
  const slabBytes = numberIn(meminfo, /^Slab:\s+(\d+) kB$/m) * 1024;
  return slabBytes + numberIn(sockstat, /^TCP:.* mem (\d+)$/m) * PAGE_BYTES;
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

/** Resident memory by kind of process (gateway, worker, database, …); null if unavailable. */
export function memoryByKind(platform: Platform): Record<string, number> | null {
  const usage = platform.usage();
  if (usage === null || platform.workers > 0) return usage && mapValues(usage, ({ rssBytes }) => rssBytes);
  const [{ rssBytes, ownRssBytes }] = Object.values(usage) as [ProcessUsage];
  return { instance: ownRssBytes, database: rssBytes - ownRssBytes };
}
