import type { Message } from "@fanfare/contract";
import { overloaded, type RequestScope } from "@fanfare/kernel";
import type { MessageDocument } from "../message.model.ts";
import type { Change } from "./database-store.ts";
import type { ChangeEvent } from "./write-context.ts";

interface Waiting<T> {
  /** Rooms to publish to. */
  rooms: readonly string[];
  enqueuedAtMs: number;
  /** The scope of the caller. */
  scope: RequestScope | undefined;
  resolve: (result: T) => void;
  reject: (error: unknown) => void;
}

/** A message waiting to be stored. */
export interface CreateItem extends Waiting<Message> {
  kind: "create";
  authorId: string;
  content: string;
  replyTo: string | null;
  nonce: string;
  groupId: string | null;
  /** The group of a thread; undefined: not a thread. */
  threadOf?: string | undefined;
  mentionKeys?: readonly string[] | undefined;
  extras?: CreateExtras | undefined;
}

/** Fields that few messages have. */
type CreateExtras = Pick<
  MessageDocument,
  | "mentions"
  | "attachments"
  | "cards"
  | "controls"
  | "poll"
  | "sticker"
  | "call"
  | "as"
  | "alsoIn"
  | "replyIn"
>;

/** `gone`: the message doesn't exist or is deleted; `outdated`: its rev is not `ifRev`. */
export type ChangeResult =
  | { outcome: "changed"; message: Message }
  | { outcome: "gone" }
  | { outcome: "outdated" };

/** A change waiting to be stored. */
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
  /** The common scope of the senders. */
  scope?: RequestScope | undefined;
}

/** One database command: one message each of several channels, several messages each of several channels, or one change. */
export type Write = { kind: "create"; runs: Run[] } | { kind: "change"; channelId: string; item: ChangeItem };

export interface QueueLimits {
  perChannel: number;
  total: number;
}

interface ChannelQueue {
  creates: CreateItem[];
  changes: ChangeItem[];
  /** A write of this channel is in progress; further items are batched. */
  busy: boolean;
  /** The last write was for new messages, so a waiting change is next. */
  changeIsNext: boolean;
  /** Its last write has to be repeated: several messages of it are written alone, so that they don't stop those of other channels. */
  isAlone: boolean;
}

/** Items waiting to be written, by channel. */
export class ChannelQueues {
  readonly #limits: QueueLimits;
  readonly #queues = new Map<string, ChannelQueue>();
  /** Channels with waiting items and no write in progress, in FIFO order. */
  readonly #ready = new Set<string>();
  #waiting = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get hasReady(): boolean {
    return this.#ready.size > 0;
  }

  /** Number of waiting items. */
  get waiting(): number {
    return this.#waiting;
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  /** @throws {ServiceError} OVERLOADED when too many items are waiting */
  add(channelId: string, item: CreateItem | ChangeItem): void {
    let queue = this.#queues.get(channelId);
    const ofChannel = queue === undefined ? 0 : queue.creates.length + queue.changes.length;
    if (this.#waiting >= this.#limits.total || ofChannel >= this.#limits.perChannel) {
      throw overloaded();
    }
    if (queue === undefined) {
      queue = { creates: [], changes: [], busy: false, changeIsNext: false, isAlone: false };
      this.#queues.set(channelId, queue);
    }
    if (item.kind === "create") queue.creates.push(item);
    else queue.changes.push(item);
    this.#waiting += 1;
    if (!queue.busy) this.#ready.add(channelId);
  }

  /** The next write with at most `maxItems`, or null when no channel is ready. Its channels stay busy until `release`. */
  take(maxItems: number): Write | null {
    const runs: Run[] = [];
    let left = maxItems;
    let areSingle = false;
    for (const [channelId, queue] of this.#readyQueues()) {
      const isChange = queue.changes.length > 0 && (queue.changeIsNext || queue.creates.length === 0);
      const isSingle = !isChange && queue.creates.length === 1;
      const isAlone = isChange || (queue.isAlone && !isSingle);
      if (runs.length > 0 && (isAlone || isSingle !== areSingle)) continue;
      queue.busy = true;
      queue.changeIsNext = !isChange;
      this.#ready.delete(channelId);
      if (isChange) {
        this.#waiting -= 1;
        return { kind: "change", channelId, item: queue.changes.shift()! };
      }
      queue.isAlone = false;
      areSingle = isSingle;
      const creates = queue.creates.splice(0, left);
      this.#waiting -= creates.length;
      left -= creates.length;
      runs.push({ channelId, creates });
      if (isAlone || left === 0) break;
    }
    return runs.length === 0 ? null : { kind: "create", runs };
  }

  /** Puts items that couldn't be written back to the front of their queue. */
  putBack(channelId: string, items: readonly (CreateItem | ChangeItem)[]): void {
    const queue = this.#queues.get(channelId)!;
    queue.isAlone = true;
    queue.creates.unshift(...items.filter((item) => item.kind === "create"));
    queue.changes.unshift(...items.filter((item) => item.kind === "change"));
    this.#waiting += items.length;
  }

  /** Removes all items that are not being written. */
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

  /** The write of the channel has ended. */
  release(channelId: string): void {
    const queue = this.#queues.get(channelId)!;
    queue.busy = false;
    if (queue.creates.length + queue.changes.length > 0) this.#ready.add(channelId);
    else this.#queues.delete(channelId);
  }
}
