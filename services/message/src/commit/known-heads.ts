import { LRUCache } from "lru-cache";
import type { CommitStore, KnownHead } from "./store.ts";

/**
 * Where the heads of recently written channels stand, so that taking numbers needs no read. It may be wrong, because
 * other workers write too: numbers are only taken from a head that is still there.
 */
export class KnownHeads {
  readonly #heads: LRUCache<string, KnownHead>;
  readonly #read: CommitStore["readHeads"];

  constructor(max: number, read: CommitStore["readHeads"]) {
    this.#heads = new LRUCache({ max });
    this.#read = read;
  }

  peek(channelId: string): KnownHead | undefined {
    return this.#heads.peek(channelId);
  }

  async get(channelIds: readonly string[]): Promise<Map<string, KnownHead>> {
    const known = new Map<string, KnownHead>();
    const unknown: string[] = [];
    for (const channelId of channelIds) {
      const head = this.#heads.get(channelId);
      if (head === undefined) unknown.push(channelId);
      else known.set(channelId, head);
    }
    if (unknown.length === 0) return known;
    for (const [channelId, head] of await this.#read(unknown)) {
      known.set(channelId, head);
    }
    return known;
  }

  set(channelId: string, head: KnownHead): void {
    this.#heads.set(channelId, head);
  }

  /** The batch needs not be listed as pending any longer. */
  finished(channelId: string, batchId: string): void {
    this.#heads.peek(channelId)?.finished.push(batchId);
  }

  forget(channelId: string): void {
    this.#heads.delete(channelId);
  }
}
