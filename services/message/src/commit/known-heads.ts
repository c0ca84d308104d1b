import type { Head } from "@fanfare/contract";
import { boundedMap } from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import { HEAD_MAX_AGE_MS, HEAD_READ_CONCURRENCY } from "../bounds.ts";
import type { CommitStore } from "./database-store.ts";

const HEAD_AGE_RESOLUTION_MS = 1000;

/**
 * Where recently written channels stand, so that numbering needs no read. A head that is remembered may be behind, because
 * other workers write too: then the next write is refused. It is never ahead of what is on disk: only what was
 * acknowledged or read as lasting is remembered, and nothing after an error.
 */
export class KnownHeads {
  readonly #heads: LRUCache<string, Head>;
  readonly #read: CommitStore["readHead"];

  /** @param maxAgeMs numbers that were free so long ago may have been taken and removed since */
  constructor(max: number, read: CommitStore["readHead"], maxAgeMs = HEAD_MAX_AGE_MS) {
    this.#heads = new LRUCache({ max, ttl: maxAgeMs, ttlResolution: HEAD_AGE_RESOLUTION_MS });
    this.#read = read;
  }

  async get(channelIds: readonly string[]): Promise<Map<string, Head>> {
    const known = new Map<string, Head>();
    const unknown: string[] = [];
    for (const channelId of channelIds) {
      const head = this.#heads.get(channelId);
      if (head === undefined) unknown.push(channelId);
      else known.set(channelId, head);
    }
    const heads = await boundedMap(unknown, HEAD_READ_CONCURRENCY, (channelId) => this.#read(channelId));
    for (const [i, channelId] of unknown.entries()) known.set(channelId, heads[i]!);
    return known;
  }

  set(channelId: string, head: Head): void {
    this.#heads.set(channelId, head);
  }

  forget(channelId: string): void {
    this.#heads.delete(channelId);
  }
}
