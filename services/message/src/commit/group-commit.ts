import type { Message } from "@fanfare/contract";
import {
  mergedScope,
  currentScope,
  isExceeded,
  overloaded,
  runInScope,
  unavailable,
  entryLimit,
} from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import {
  ITEMS_PER_COMMIT,
  HEAD_CACHE_SIZE,
  LOST_RACE_BACKOFF_MS,
  MAX_QUEUED_PER_CHANNEL,
  MAX_QUEUED_TOTAL,
} from "../constants.ts";
import {
  ChannelQueues,
  type QueueLimits,
  type ChangeItem,
  type ChangeResult,
  type CreateItem,
  type Run,
  type Write,
} from "./channel-queues.ts";
import type { Sent } from "./database-store.ts";
import { findStored, writeChange, writeCreates } from "./writes.ts";
import type { WriteContext } from "./write-context.ts";

type Asked<T> = Omit<T, keyof Enqueued>;

type Enqueued = Pick<CreateItem, "kind" | "enqueuedAtMs" | "scope" | "resolve" | "reject">;

export interface GroupCommitOptions extends Omit<WriteContext, "published"> {
  /** Called for every attempted write. */
  observe: (items: number, seconds: number) => void;
  limits?: QueueLimits;
  itemsPerCommit?: number;
  /** Maximum of concurrent writes; a channel is in at most one. */
  maxWrites?: number;
}

/**
 * Commits messages in groups: while a channel is being written, its next messages are batched, and channels that become ready in
 * the same turn of the event loop share a write. An idle channel is written without delay.
 */
export class GroupCommit {
  readonly #observe: GroupCommitOptions["observe"];
  readonly #context: WriteContext;
  readonly #queues: ChannelQueues;
  readonly #itemsPerCommit: number;
  readonly #maxWrites: number;
  #running = 0;
  #scheduled = false;
  #closed: (() => void) | null = null;

  constructor(options: GroupCommitOptions) {
    this.#observe = options.observe;
    this.#context = { ...options, published: new LRUCache(entryLimit(HEAD_CACHE_SIZE)) };
    this.#queues = new ChannelQueues(
      options.limits ?? { perChannel: MAX_QUEUED_PER_CHANNEL, total: MAX_QUEUED_TOTAL },
    );
    this.#itemsPerCommit = options.itemsPerCommit ?? ITEMS_PER_COMMIT;
    this.#maxWrites = options.maxWrites ?? 8;
  }

  /** Messages and changes waiting to be committed. */
  get waiting(): number {
    return this.#queues.waiting;
  }

  /**
   * Stores and publishes a message and returns it. If its nonce already exists, returns the existing message.
   * @throws {ServiceError} OVERLOADED, UNAVAILABLE or STORAGE_FULL; retrying with the same nonce is always safe
   */
  create(channelId: string, item: Asked<CreateItem>): Promise<Message> {
    return new Promise((resolve, reject) =>
      this.#add(channelId, { ...item, ...enqueued(), kind: "create", resolve, reject }),
    );
  }

  /** Changes a message and publishes the change. */
  change(channelId: string, item: Asked<ChangeItem>): Promise<ChangeResult> {
    return new Promise((resolve, reject) =>
      this.#add(channelId, { ...item, ...enqueued(), kind: "change", resolve, reject }),
    );
  }

  /** Finds an earlier message by nonce and publishes it if that may be missing. @returns null when it isn't stored */
  find(channelId: string, sent: Sent & Pick<CreateItem, "rooms">): Promise<Message | null> {
    return findStored(this.#context, channelId, sent);
  }

  /** Writes all waiting items and rejects further ones. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#closed = resolve;
      if (this.#queues.isEmpty) resolve();
    });
  }

  #add(channelId: string, item: CreateItem | ChangeItem): void {
    if (this.#closed !== null) throw unavailable();
    this.#queues.add(channelId, item);
    this.#schedule();
  }

  /** Runs after the poll phase, so that everything received in one turn is written together. */
  #schedule(): void {
    if (this.#scheduled || this.#running >= this.#maxWrites || !this.#queues.hasReady) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#running < this.#maxWrites) {
        const write = this.#queues.take(this.#itemsPerCommit);
        if (write === null) return;
        void this.#write(write);
      }
    });
  }

  async #write(write: Write): Promise<void> {
    this.#running += 1;
    const beganMs = performance.now();
    const items =
      write.kind === "create" ? await this.#writeRuns(write.runs) : await this.#writeChange(write);
    if (items > 0) this.#observe(items, (performance.now() - beganMs) / 1000);
    this.#running -= 1;
    this.#continueWrites();
  }

  /** @returns the number of messages in the write */
  async #writeRuns(runs: readonly Run[]): Promise<number> {
    const filled: Run[] = [];
    for (const { channelId, creates } of runs) {
      const inTime = creates.filter((item) => this.#isInTime(item));
      const scope = mergedScope(inTime.map((item) => item.scope));
      if (inTime.length > 0) filled.push({ channelId, creates: inTime, scope });
      else this.#queues.release(channelId);
    }
    if (filled.length === 0) return 0;
    // This write may have been started by another request, whose message was written before.
    const scope = mergedScope(filled.map((run) => run.scope));
    const again = await runInScope(scope, () => writeCreates(this.#context, filled));
    if (again === null) this.#rejectWaiting();
    for (const { channelId } of filled) this.#release(channelId, again?.get(channelId) ?? []);
    return filled.reduce((sum, { creates }) => sum + creates.length, 0);
  }

  async #writeChange({ channelId, item }: Extract<Write, { kind: "change" }>): Promise<number> {
    const write = () => writeChange(this.#context, channelId, item);
    const outcome = this.#isInTime(item) ? await runInScope(item.scope, write) : "answered";
    if (outcome === "failed") this.#rejectWaiting();
    this.#release(channelId, outcome === "again" ? [item] : []);
    return 1;
  }

  /** Makes the channel ready again; with a pause when items must be written again, usually after a lost race. */
  #release(channelId: string, again: readonly (CreateItem | ChangeItem)[]): void {
    if (again.length === 0) {
      this.#queues.release(channelId);
      return;
    }
    this.#queues.putBack(channelId, again);
    setTimeout(() => {
      this.#queues.release(channelId);
      this.#continueWrites();
    }, Math.random() * LOST_RACE_BACKOFF_MS);
  }

  #continueWrites(): void {
    this.#schedule();
    if (this.#closed !== null && this.#queues.isEmpty) this.#closed();
  }

  /** The database is unavailable or too slow: all waiting items fail together instead of one after another. */
  #rejectWaiting(): void {
    this.#queues.removeWaiting((item) => item.reject(unavailable()));
  }

  /** Rejects items that have waited too long, or whose caller no longer waits. */
  #isInTime(item: CreateItem | ChangeItem): boolean {
    const isLate = isExceeded(item.scope?.deadline);
    if (!isLate && item.enqueuedAtMs >= Date.now() - this.#context.writeTimeoutMs) return true;
    item.reject(isLate ? unavailable() : overloaded());
    return false;
  }
}

const enqueued = () => ({ enqueuedAtMs: Date.now(), scope: currentScope() });
