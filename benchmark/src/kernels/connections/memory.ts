import type { Platform } from "../../platform/platform.ts";
import { readText } from "../../report/environment.ts";
import { mapValues } from "../broadcast/percentiles.ts";
import type { ProcessUsage } from "../broadcast/resource-use.ts";

export type KernelMemory = NonNullable<ReturnType<typeof readKernelMemory>>;

/** sockstat counts pages: 4 KiB on x86-64 and on most arm64 systems. */
const PAGE_BYTES = 4096;

/** Memory of this machine's kernel, for all programs together. null: not readable by this user, or on this system. */
export function readKernelMemory() {
  const meminfo = readText("/proc/meminfo");
  const sockstat = readText("/proc/net/sockstat");
  if (meminfo === undefined || sockstat === undefined) return null;
  const objects = readText("/proc/slabinfo");
  return {
    /** All kernel objects. */
    slabBytes: numberIn(meminfo, /^Slab:\s+(\d+) kB$/m) * 1024,
    /** Data in the buffers of TCP sockets. */
    tcpBufferBytes: numberIn(sockstat, /^TCP:.* mem (\d+)$/m) * PAGE_BYTES,
    /** Bytes per kind of object, which only root can read. */
    objects: objects === undefined ? null : slabObjects(objects),
  };
}

/** Of all kernel objects and TCP buffers. */
export function kernelBytes(memory: KernelMemory | null): number | null {
  return memory && memory.slabBytes + memory.tcpBufferBytes;
}

/** Bytes per cache from /proc/slabinfo: slabs × pages of each. Source: slabinfo(5). */
export function slabObjects(text: string): Record<string, number> {
  const objects: Record<string, number> = {};
  for (const line of text.split("\n").slice(2)) {
    const [name, ...fields] = line.split(/\s+/);
    const pagesPerSlab = Number(fields[4]);
    // "name active total size perslab pagesperslab : tunables a b c : slabdata active slabs shared"
    const slabs = Number(fields[13]);
    if (name && pagesPerSlab > 0 && slabs > 0) objects[name] = slabs * pagesPerSlab * PAGE_BYTES;
  }
  return objects;
}

/** The objects that grew most, largest first. */
export function grownObjects(before: Record<string, number>, after: Record<string, number>, most: number) {
  return Object.entries(after)
    .map(([name, bytes]) => ({ name, bytes: bytes - (before[name] ?? 0) }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, most);
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
