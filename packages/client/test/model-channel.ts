import type { ChannelSync, Message } from "@fanfare/contract";
import type { MessagePage, ReactionChange } from "../src/channel-state.ts";

/** A reference model of the server's state of one channel. */
export class ModelChannel {
  readonly channelId: string;
  readonly #changesPerSync: number;
  readonly #stored = new Map<number, Message>();
  #rev = 0;
  #restores = 0;

  constructor(channelId: string, changesPerSync: number) {
    this.channelId = channelId;
    this.#changesPerSync = changesPerSync;
  }

  get messages(): Message[] {
    return [...this.#stored.values()].sort((a, b) => a.seq - b.seq);
  }

  create(content: string, nonce = `n${this.#stored.size + 1}`): Message {
    const seq = this.#stored.size + 1;
    const id = `${this.#restores}${seq.toString(16).padStart(23, "0")}`;
    const createdAt = new Date(seq).toISOString();
    const { channelId } = this;
    const rest = { authorId: "a".repeat(24), replyTo: null, editedAt: null, deletedAt: null };
    const message = { id, channelId, seq, rev: ++this.#rev, content, nonce, createdAt, ...rest };
    this.#stored.set(seq, message);
    return message;
  }

  /** Restores a backup with the first messages, of which none was changed. Later ones get other ids than before. */
  restore(messageCount: number): void {
    for (const seq of this.#stored.keys()) if (seq > messageCount) this.#stored.delete(seq);
    this.#rev = messageCount;
    this.#restores += 1;
  }

  edit(which: number, content: string): Message | undefined {
    const { messages } = this;
    const message = messages[which % Math.max(1, messages.length)];
    if (message === undefined) return undefined;
    // Pins and previews are included, as in every event with the whole message.
    const pinned =
      content.length % 2 === 0 ? { pinnedAt: message.createdAt, pinnedBy: message.authorId } : {};
    const changed = { ...message, content, rev: ++this.#rev, editedAt: message.createdAt, ...pinned };
    this.#stored.set(message.seq, changed);
    return changed;
  }

  /** The event: the current reactions, and the rev before. */
  react(which: number, count: number): ReactionChange | undefined {
    const { messages, channelId } = this;
    const message = messages[which % Math.max(1, messages.length)];
    if (message === undefined) return undefined;
    const { reactions: _before, ...rest } = message;
    const reactions = count === 0 ? [] : [{ emoji: "👍", count, userIds: [] }];
    const rev = ++this.#rev;
    this.#stored.set(message.seq, { ...rest, rev, ...(count > 0 && { reactions }) });
    return { channelId, messageId: message.id, seq: message.seq, rev, afterRev: message.rev, reactions };
  }

  list({ limit, before }: { limit: number; before?: number }): MessagePage {
    const older = before === undefined ? this.messages : this.messages.filter(({ seq }) => seq < before);
    return { messages: older.slice(-limit), hasMore: older.length > limit, head: this.#head() };
  }

  sync(afterRev: number): ChannelSync {
    const head = this.#head();
    const changes = this.messages.filter(({ rev }) => rev > afterRev).sort((a, b) => a.rev - b.rev);
    const { channelId } = this;
    if (changes.length > this.#changesPerSync) return { channelId, status: "resync", messages: [], head };
    return { channelId, status: "ok", messages: changes, head };
  }

  #head() {
    return { seq: this.#stored.size, rev: this.#rev };
  }
}
