import { serviceError } from "@fanfare/kernel";
import { RETRY_AFTER_MS } from "../limits.ts";
import type { Item } from "./item.ts";

export interface QueueLimits {
  perChannel: number;
  total: number;
}

/** What one channel has in a commit. */
export interface ChannelBatch {
  channelId: string;
  items: Item[];
}

interface ChannelQueue {
  waiting: Item[];
  /** A batch of this channel is being written; the next one gathers. */
  busy: boolean;
}

/** What waits to be written, by channel, in the order of its arrival. */
export class ChannelQueues {
  readonly #limits: QueueLimits;
  readonly #queues = new Map<string, ChannelQueue>();
  /** Channels that have something waiting and nothing being written, first come first served. */
  readonly #ready = new Set<string>();
  #waiting = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get hasReady(): boolean {
    return this.#ready.size > 0;
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  /** @throws {ServiceError} OVERLOADED when too much waits already */
  add(channelId: string, item: Item): void {
    let queue = this.#queues.get(channelId);
    if (this.#waiting >= this.#limits.total || (queue?.waiting.length ?? 0) >= this.#limits.perChannel) {
      throw serviceError("OVERLOADED", { retryAfterMs: RETRY_AFTER_MS });
    }
    if (queue === undefined) {
      queue = { waiting: [], busy: false };
      this.#queues.set(channelId, queue);
    }
    queue.waiting.push(item);
    this.#waiting += 1;
    if (!queue.busy) this.#ready.add(channelId);
  }

  /** The next batch: one or more channels, which are busy until `release`. */
  take(maxItems: number): ChannelBatch[] {
    const batch: ChannelBatch[] = [];
    let room = maxItems;
    for (const channelId of this.#ready) {
      if (room === 0) break;
      const queue = this.#queues.get(channelId)!;
      const items = queue.waiting.splice(0, room);
      room -= items.length;
      this.#waiting -= items.length;
      queue.busy = true;
      this.#ready.delete(channelId);
      batch.push({ channelId, items });
    }
    return batch;
  }

  /** Puts items that could not be written back to where they came from: before all that wait. */
  putBack(channelId: string, items: readonly Item[]): void {
    this.#queues.get(channelId)!.waiting.unshift(...items);
    this.#waiting += items.length;
  }

  /** The channel's batch is written, or failed. */
  release(channelId: string): void {
    const queue = this.#queues.get(channelId)!;
    queue.busy = false;
    if (queue.waiting.length > 0) this.#ready.add(channelId);
    else this.#queues.delete(channelId);
  }
}
