import type { Call, Head, Message } from "@fanfare/contract";
import type { Backoff } from "@fanfare/contract/backoff";
import {
  type ChannelChange,
  type ChannelCopy,
  type ReactionChange,
  newChannelCopy,
  reduceChannel,
  saveCopy,
  type SavedChannel,
  syncCursor,
} from "./channel-state.ts";
import { callSafely } from "./emitter.ts";
import { FanfareError } from "./errors.ts";
import { Outbox, type PendingMessage, type SendOptions } from "./outbox.ts";
import { IdleTimer, retrying } from "./timing.ts";
import { NEWEST_MESSAGES } from "./limits.ts";
import type { SyncTarget } from "./sync-loop.ts";

/** An immutable snapshot of a channel. */
export interface ChannelSnapshot {
  readonly channelId: string;
  /** `gone`: the channel was deleted, or the user can no longer see it. */
  readonly status: "loading" | "ready" | "gone";
  /** Ordered by seq, up to the newest; deleted messages stay, without their text. */
  readonly messages: readonly Message[];
  readonly head: Head;
  /** Whether newer messages can be missing because the messages were restored or the connection was lost. */
  readonly isOutdated: boolean;
  /** Whether older messages can be loaded. */
  readonly hasOlder: boolean;
  /** The seq that the user has read up to; 0 if this client doesn't know it. */
  readonly lastReadSeq: number;
  /** From where on the user marked messages as unread, until they are read; a new object each time. */
  readonly markedUnread: { readonly seq: number } | null;
  /** The user's messages that the server has not confirmed yet. */
  readonly pending: readonly PendingMessage[];
}

export interface ChannelViewOptions {
  call: Call;
  backoff: Backoff;
  sendGiveUpMs: number;
  idleSyncMs: number;
  /** The copy is not exact: it needs a sync or a reload. */
  onGap(): void;
  onClose(): void;
}

const LOAD_TRIES = 5;

/** An exact copy of a channel, updated by events and sync. Created by `client.channel(channelId)`. */
export class ChannelView implements SyncTarget {
  readonly channelId: string;
  readonly #options: ChannelViewOptions;
  readonly #outbox: Outbox;
  readonly #idleTimer: IdleTimer;
  readonly #listeners = new Set<(snapshot: ChannelSnapshot) => void>();
  #copy: ChannelCopy;
  #snapshot: ChannelSnapshot;
  #lastReadSeq = 0;
  #markedUnread: ChannelSnapshot["markedUnread"] = null;
  /** Calls of `markUnread` that are not answered. */
  #markingUnread = 0;
  /** The highest seq whose `markRead` failed and is to be repeated; 0 if there is none. */
  #failedReadSeq = 0;
  #isRequested = false;
  #loading: Promise<void> | null = null;
  #loadingOlder: Promise<void> | null = null;

  constructor(channelId: string, options: ChannelViewOptions) {
    this.channelId = channelId;
    this.#options = options;
    this.#copy = newChannelCopy(channelId);
    this.#outbox = new Outbox({
      channelId,
      backoff: options.backoff,
      giveUpAfterMs: options.sendGiveUpMs,
      send: async (params) => {
        const { message } = await options.call("message.send", params);
        this.receive([message]);
        return message;
      },
      onChange: () => this.#publish(),
    });
    // The loss of a channel's last event can't be detected otherwise.
    this.#idleTimer = new IdleTimer(options.idleSyncMs, () => this.apply({ type: "invalidate" }));
    this.#snapshot = this.#takeSnapshot();
  }

  get snapshot(): ChannelSnapshot {
    return this.#snapshot;
  }

  get messages(): readonly Message[] {
    return this.#copy.messages;
  }

  get head(): Head {
    return this.#copy.head;
  }

  /** @internal */
  get copy(): ChannelCopy {
    return this.#copy;
  }

  /** @internal */
  get isRequested(): boolean {
    return this.#isRequested;
  }

  /** Calls `listener` after every change. Returns a function that unsubscribes. */
  subscribe(listener: (snapshot: ChannelSnapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Loads the newest page; from then on the copy is kept exact.
   * @throws {FanfareError} the server's error, or the last one after several tries
   */
  async load(): Promise<void> {
    this.#isRequested = true;
    try {
      await retrying(() => this.reload(), this.#retries);
    } catch (error) {
      this.#isRequested = false;
      throw error;
    }
  }

  /** The newest messages, to be stored and restored later; undefined unless they are loaded. */
  save(maxMessages: number): SavedChannel | undefined {
    return saveCopy(this.#copy, maxMessages);
  }

  /** Shows stored messages until the next sync, instead of `load`. Does nothing if messages were loaded before. */
  restore(saved: SavedChannel): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.apply({ type: "invalidate" });
    this.apply({ type: "newestPage", page: saved, invalidations: -1 });
  }

  /** Loads the page before the oldest loaded message, if there is one. */
  loadBefore(): Promise<void> {
    if (!this.#snapshot.hasOlder) return Promise.resolve();
    this.#loadingOlder ??= this.#loadOlder().finally(() => (this.#loadingOlder = null));
    return this.#loadingOlder;
  }

  /**
   * Sends a message. Retries after connection loss with the same nonce, so the message is stored exactly once.
   * @throws {FanfareError} the server's error, CLOSED, TOO_MANY_PENDING, or the last error after `sendGiveUpMs`
   */
  send(content: string, options: SendOptions = {}): Promise<Message> {
    return this.#outbox.push(content, options);
  }

  async edit(messageId: string, content: string): Promise<Message> {
    const { channelId } = this;
    const { message } = await this.#options.call("message.edit", { channelId, messageId, content });
    this.receive([message]);
    return message;
  }

  async delete(messageId: string): Promise<void> {
    await this.#options.call("message.delete", { channelId: this.channelId, messageId });
  }

  /**
   * Marks everything up to `seq` as read. Does nothing if it already is, or during `markUnread`. If it fails, it is
   * repeated after the next reconnect.
   */
  async markRead(seq: number): Promise<void> {
    const { channelId } = this;
    if (seq <= this.#lastReadSeq || this.#markingUnread > 0) return;
    try {
      const { lastReadSeq } = await this.#options.call("channel.markRead", { channelId, seq });
      this.receiveReadMarker(lastReadSeq);
    } catch (error) {
      if (error instanceof FanfareError && error.retryable)
        this.#failedReadSeq = Math.max(this.#failedReadSeq, seq);
      throw error;
    }
  }

  /** Marks the message with this seq and all later ones as unread. */
  async markUnread(seq: number): Promise<void> {
    const { channelId } = this;
    this.#markingUnread += 1;
    try {
      const { lastReadSeq } = await this.#options.call("channel.markUnread", { channelId, seq });
      this.receiveMarkerBack(lastReadSeq);
    } finally {
      this.#markingUnread -= 1;
    }
  }

  /** Stops updating the copy; `client.channel` creates a new one. Pending messages fail. */
  close(): void {
    this.#isRequested = false;
    this.#idleTimer.stop();
    this.#outbox.close();
    this.#listeners.clear();
    this.#options.onClose();
  }

  /** @internal Messages from an event or a result. */
  receive(messages: readonly Message[]): void {
    if (this.#isRequested) this.#idleTimer.reset();
    this.#copy = reduceChannel(this.#copy, { type: "messages", messages });
    // Before listeners are notified, so that no snapshot has a message both as sent and as pending.
    for (const message of messages) this.#outbox.confirm(message);
    this.#changed();
  }

  /** @internal */
  receiveReactions(change: ReactionChange): void {
    if (this.#isRequested) this.#idleTimer.reset();
    this.apply({ type: "reactions", change });
  }

  /** @internal */
  receiveReadMarker(lastReadSeq: number): void {
    if (lastReadSeq <= this.#lastReadSeq) return;
    this.#lastReadSeq = lastReadSeq;
    this.#markedUnread = null;
    this.#publish();
  }

  /** @internal */
  receiveMarkerBack(lastReadSeq: number): void {
    this.#lastReadSeq = lastReadSeq;
    this.#failedReadSeq = 0;
    this.#markedUnread = { seq: lastReadSeq + 1 };
    this.#publish();
  }

  /** @internal */
  onOnline(): void {
    // Another session may have moved it back.
    this.#lastReadSeq = 0;
    this.#publish();
    this.#outbox.wake();
    const seq = this.#failedReadSeq;
    this.#failedReadSeq = 0;
    if (seq > 0) this.markRead(seq).catch(() => undefined);
  }

  /** @internal */
  apply(change: ChannelChange): void {
    const before = this.#copy;
    this.#copy = reduceChannel(before, change);
    const isNews = change.type === "newestPage" || (change.type === "synced" && this.#copy.rev > before.rev);
    if (isNews && this.#isRequested) this.#idleTimer.reset();
    if (this.#copy !== before) this.#changed();
  }

  #changed(): void {
    this.#publish();
    if (this.#isRequested && (this.#copy.needsPage || syncCursor(this.#copy) !== undefined))
      this.#options.onGap();
  }

  /** @internal Tries once to load the newest page. */
  reload(): Promise<void> {
    this.#loading ??= this.#loadNewest().finally(() => (this.#loading = null));
    return this.#loading;
  }

  async #loadNewest(): Promise<void> {
    const { channelId } = this;
    const { invalidations } = this.#copy;
    try {
      const page = await this.#options.call("message.list", { channelId, limit: NEWEST_MESSAGES });
      this.apply({ type: "newestPage", page, invalidations });
    } catch (error) {
      if (error instanceof FanfareError && error.type === "CHANNEL_NOT_FOUND") this.apply({ type: "gone" });
      throw error;
    }
  }

  async #loadOlder(): Promise<void> {
    const { channelId } = this;
    await retrying(async () => {
      const before = this.#copy.fromSeq;
      const page = await this.#options.call("message.list", { channelId, before, limit: NEWEST_MESSAGES });
      this.apply({ type: "olderPage", page, before });
    }, this.#retries);
  }

  get #retries() {
    return { tries: LOAD_TRIES, backoff: this.#options.backoff };
  }

  #publish(): void {
    this.#snapshot = this.#takeSnapshot();
    for (const listener of this.#listeners) callSafely(() => listener(this.#snapshot));
  }

  #takeSnapshot(): ChannelSnapshot {
    const { channelId, status, messages, head, fromSeq, invalidations, settledInvalidations } = this.#copy;
    const hasOlder = status === "ready" && fromSeq > 1;
    const shown = status === "loading" ? [] : messages;
    const { pending } = this.#outbox;
    const isOutdated = invalidations > settledInvalidations;
    return {
      channelId,
      status,
      messages: shown,
      head,
      isOutdated,
      hasOlder,
      lastReadSeq: this.#lastReadSeq,
      markedUnread: this.#markedUnread,
      pending,
    };
  }
}
