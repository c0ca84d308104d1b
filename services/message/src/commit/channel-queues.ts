import type { Message } from "@fanfare/contract";
import { serviceError, type RequestScope } from "@fanfare/kernel";
import { RETRY_AFTER_MS } from "../bounds.ts";
import type { MessageDocument } from "../message.model.ts";
import type { Change } from "./database-store.ts";
import type { ChangeEvent } from "./write-context.ts";

interface Waiting<T> {
  /** Rooms that receive it. */
  rooms: readonly string[];
  enqueuedAtMs: number;
  /** Who asked for it. */
  scope: RequestScope | undefined;
  resolve: (result: T) => void;
  reject: (error: unknown) => void;
}

/** A message that waits to be stored. */
export interface CreateItem extends Waiting<Message> {
  kind: "create";
  authorId: string;
  content: string;
  replyTo: string | null;
  nonce: string;
  groupId: string | null;
  mentionKeys?: readonly string[] | undefined;
  extras?: CreateExtras | undefined;
}

/** What few messages have besides their text. */
type CreateExtras = Pick<MessageDocument, "mentions" | "attachments" | "as">;

/** `gone`: there is nothing to change any more; `outdated`: the message's last change is not `ifRev`. */
export type ChangeResult =
  | { outcome: "changed"; message: Message }
  | { outcome: "gone" }
  | { outcome: "outdated" };

/** A change that waits to be stored. */
export interface ChangeItem extends Waiting<ChangeResult> {
  kind: "change";
  messageId: string;
  set: Change["set"];
  ifRev?: number | undefined;
  announce: ChangeEvent;
}

/** New messages of one channel that are written together. */
export interface Run {
  channelId: string;
  creates: CreateItem[];
  /** Of those who sent them. */
  scope?: RequestScope | undefined;
}

/**
 * What one command of the database writes: messages of several channels, one each; or several messages of one channel; or
 * one change.
 */
export type Write = { kind: "create"; runs: Run[] } | { kind: "change"; channelId: string; item: ChangeItem };

export interface QueueLimits {
  perChannel: number;
  total: number;
}

interface ChannelQueue {
  creates: CreateItem[];
  changes: ChangeItem[];
  /** Something of this channel is being written; the next messages gather. */
  busy: boolean;
  /** New messages were written last: now it is the turn of a change, if one waits. */
  changeIsNext: boolean;
}

/** What waits to be written, by channel. */
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

  /** How many items wait. */
  get waiting(): number {
    return this.#waiting;
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  /** @throws {ServiceError} OVERLOADED when too much waits already */
  add(channelId: string, item: CreateItem | ChangeItem): void {
    let queue = this.#queues.get(channelId);
    const ofChannel = queue === undefined ? 0 : queue.creates.length + queue.changes.length;
    if (this.#waiting >= this.#limits.total || ofChannel >= this.#limits.perChannel) {
      throw serviceError("OVERLOADED", { retryAfterMs: RETRY_AFTER_MS });
    }
    if (queue === undefined) {
      queue = { creates: [], changes: [], busy: false, changeIsNext: false };
      this.#queues.set(channelId, queue);
    }
    if (item.kind === "create") queue.creates.push(item);
    else queue.changes.push(item);
    this.#waiting += 1;
    if (!queue.busy) this.#ready.add(channelId);
  }

  /** The next thing to write, of at most `maxItems`; null when nothing is ready. Its channels are busy until `release`. */
  take(maxItems: number): Write | null {
    const runs: Run[] = [];
    for (const [channelId, queue] of this.#readyQueues()) {
      const isChange = queue.changes.length > 0 && (queue.changeIsNext || queue.creates.length === 0);
      const isSingle = !isChange && queue.creates.length === 1;
      if (runs.length > 0 && !isSingle) continue;
      queue.busy = true;
      queue.changeIsNext = !isChange;
      this.#ready.delete(channelId);
      if (isChange) {
        this.#waiting -= 1;
        return { kind: "change", channelId, item: queue.changes.shift()! };
      }
      const creates = queue.creates.splice(0, maxItems);
      this.#waiting -= creates.length;
      runs.push({ channelId, creates });
      if (!isSingle || runs.length === maxItems) break;
    }
    return runs.length === 0 ? null : { kind: "create", runs };
  }

  /** Puts what could not be written back to where it came from: before all that wait. */
  putBack(channelId: string, items: readonly (CreateItem | ChangeItem)[]): void {
    const queue = this.#queues.get(channelId)!;
    queue.creates.unshift(...items.filter((item) => item.kind === "create"));
    queue.changes.unshift(...items.filter((item) => item.kind === "change"));
    this.#waiting += items.length;
  }

  /** Takes out everything that is not being written. */
  removeWaiting(onRemoved: (item: CreateItem | ChangeItem) => void): void {
    for (const [channelId, queue] of this.#queues) {
      const removed = [...queue.creates.splice(0), ...queue.changes.splice(0)];
      this.#waiting -= removed.length;
      this.#ready.delete(channelId);
      if (!queue.busy) this.#queues.delete(channelId);
      for (const item of removed) onRemoved(item);
    }
  }

  *#readyQueues(): Generator<[string, ChannelQueue]> {
    for (const channelId of this.#ready) yield [channelId, this.#queues.get(channelId)!];
  }

  /** The channel's write is over. */
  release(channelId: string): void {
    const queue = this.#queues.get(channelId)!;
    queue.busy = false;
    if (queue.creates.length + queue.changes.length > 0) this.#ready.add(channelId);
    else this.#queues.delete(channelId);
  }
}
