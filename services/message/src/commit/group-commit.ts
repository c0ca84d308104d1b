import type { Message } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import { ITEMS_PER_COMMIT, RETRY_AFTER_MS, WAITING_PER_CHANNEL, WAITING_TOTAL } from "../limits.ts";
import { findStored } from "./answer.ts";
import { ChannelQueues, type ChannelBatch, type QueueLimits } from "./channel-queues.ts";
import type { ChangeItem, CreateItem } from "./item.ts";
import { writeBatch } from "./write-batch.ts";
import type { WriteContext } from "./write-context.ts";

type Asked<T> = Omit<T, "kind" | "enqueuedAtMs" | "resolve" | "reject">;

export interface GroupCommitOptions extends Omit<WriteContext, "enqueue"> {
  /** Told of every commit that was made. */
  observe: (items: number, seconds: number) => void;
  limits?: QueueLimits;
  itemsPerCommit?: number;
  /** Commits that are written at the same time; a channel is in one of them at most. */
  maxCommits?: number;
}

/**
 * Writes messages and changes in groups: while a channel's batch is being written its next one gathers, and channels that
 * are ready in the same turn of the event loop are written together. Where nothing is under way nothing waits.
 */
export class GroupCommit {
  readonly #observe: GroupCommitOptions["observe"];
  readonly #context: WriteContext;
  readonly #queues: ChannelQueues;
  readonly #itemsPerCommit: number;
  readonly #maxCommits: number;
  #running = 0;
  #scheduled = false;
  #closed: (() => void) | null = null;

  constructor(options: GroupCommitOptions) {
    this.#observe = options.observe;
    this.#context = { ...options, enqueue: (channelId, item) => this.#add(channelId, item) };
    this.#queues = new ChannelQueues(
      options.limits ?? { perChannel: WAITING_PER_CHANNEL, total: WAITING_TOTAL },
    );
    this.#itemsPerCommit = options.itemsPerCommit ?? ITEMS_PER_COMMIT;
    this.#maxCommits = options.maxCommits ?? 4;
  }

  /**
   * Stores a message, publishes it and answers with it. When its nonce exists already, answers with that message.
   * @throws {ServiceError} OVERLOADED, UNAVAILABLE or STORAGE_FULL; the same nonce may always be tried again
   */
  create(channelId: string, item: Asked<CreateItem>): Promise<Message> {
    return new Promise((resolve, reject) =>
      this.#add(channelId, { ...item, kind: "create", enqueuedAtMs: Date.now(), resolve, reject }),
    );
  }

  /** Changes a message and publishes the change. Null: it is deleted, or a later change was faster. */
  change(channelId: string, item: Asked<ChangeItem>): Promise<Message | null> {
    return new Promise((resolve, reject) =>
      this.#add(channelId, { ...item, kind: "change", enqueuedAtMs: Date.now(), resolve, reject }),
    );
  }

  /** The message of a nonce that was sent before, published once more; null where it is not stored. */
  find(channelId: string, sent: Pick<CreateItem, "authorId" | "nonce" | "rooms">): Promise<Message | null> {
    return findStored(this.#context, channelId, sent);
  }

  /** Writes what waits; refuses what comes from now on. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#closed = resolve;
      if (this.#queues.isEmpty) resolve();
    });
  }

  #add(channelId: string, item: CreateItem | ChangeItem): void {
    if (this.#closed !== null) throw serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS });
    this.#queues.add(channelId, item);
    this.#schedule();
  }

  /** After the poll phase of this turn, so that what arrives in one turn is written together. */
  #schedule(): void {
    if (this.#scheduled || this.#running >= this.#maxCommits || !this.#queues.hasReady) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#running < this.#maxCommits && this.#queues.hasReady) {
        void this.#commit(this.#queues.take(this.#itemsPerCommit));
      }
    });
  }

  async #commit(batches: ChannelBatch[]): Promise<void> {
    this.#running += 1;
    const beganMs = performance.now();
    for (const batch of batches) batch.items = withoutExpired(batch, this.#context.writeTimeoutMs);
    const filled = batches.filter(({ items }) => items.length > 0);
    if (filled.length > 0) {
      for (const { channelId, items } of await writeBatch(this.#context, filled)) {
        this.#queues.putBack(channelId, items);
      }
      const items = filled.reduce((sum, { items }) => sum + items.length, 0);
      this.#observe(items, (performance.now() - beganMs) / 1000);
    }
    for (const { channelId } of batches) this.#queues.release(channelId);
    this.#running -= 1;
    this.#schedule();
    if (this.#closed !== null && this.#queues.isEmpty) this.#closed();
  }
}

/** Who waited longer than a write may take has been told so by now. */
function withoutExpired({ items }: ChannelBatch, timeoutMs: number): ChannelBatch["items"] {
  const oldestMs = Date.now() - timeoutMs;
  return items.filter((item) => {
    if (item.enqueuedAtMs >= oldestMs) return true;
    item.reject(serviceError("OVERLOADED", { retryAfterMs: RETRY_AFTER_MS }));
    return false;
  });
}
