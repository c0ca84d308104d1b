import type { ChannelSync, Message } from "@fanfare/contract";
import type { MessagePage } from "../src/channel-state.ts";

/**
 * The truth about one channel, as a server keeps it: numbers are taken first and stored later, perhaps never. Answers are
 * what the contract promises: the head is read before the messages.
 */
export class ModelChannel {
  readonly channelId: string;
  readonly #changesPerSync: number;
  readonly #stored = new Map<number, Message>();
  #seq = 0;
  #rev = 0;
  /** Writes that have numbers and are not stored yet. */
  #open: Message[] = [];
  /** Numbers of writes that died: nothing will ever be stored under them. */
  readonly #dead = new Set<number>();

  constructor(channelId: string, changesPerSync: number) {
    this.channelId = channelId;
    this.#changesPerSync = changesPerSync;
  }

  get messages(): Message[] {
    return [...this.#stored.values()].sort((a, b) => a.seq - b.seq);
  }

  get openWrites(): number {
    return this.#open.length;
  }

  /** Takes numbers for a new message; nothing is stored yet. */
  begin(content: string, nonce = `n${this.#seq + 1}`): void {
    const seq = ++this.#seq;
    const id = seq.toString(16).padStart(24, "0");
    const createdAt = new Date(seq).toISOString();
    const { channelId } = this;
    const rest = { authorId: "a".repeat(24), replyTo: null, editedAt: null, deletedAt: null };
    this.#open.push({ id, channelId, seq, rev: ++this.#rev, content, nonce, createdAt, ...rest });
  }

  /** Stores one of the open writes and returns what its event brings. */
  finish(which: number): Message | undefined {
    const [message] = this.#open.splice(which % Math.max(1, this.#open.length), 1);
    if (message !== undefined) this.#stored.set(message.seq, message);
    return message;
  }

  abandon(which: number): void {
    const [message] = this.#open.splice(which % Math.max(1, this.#open.length), 1);
    if (message !== undefined) this.#dead.add(message.rev);
  }

  create(content: string, nonce?: string): Message {
    this.begin(content, nonce);
    return this.finish(this.#open.length - 1)!;
  }

  edit(which: number, content: string): Message | undefined {
    const { messages } = this;
    const message = messages[which % Math.max(1, messages.length)];
    if (message === undefined) return undefined;
    const changed = { ...message, content, rev: ++this.#rev, editedAt: message.createdAt };
    this.#stored.set(message.seq, changed);
    return changed;
  }

  list({ limit, before }: { limit: number; before?: number }): MessagePage {
    const older = before === undefined ? this.messages : this.messages.filter(({ seq }) => seq < before);
    return { messages: older.slice(-limit), head: this.#head(), missingRevs: this.#missingAfter(0) };
  }

  sync(afterRev: number): ChannelSync {
    const head = this.#head();
    const changes = this.messages.filter(({ rev }) => rev > afterRev).sort((a, b) => a.rev - b.rev);
    const { channelId } = this;
    if (changes.length > this.#changesPerSync) {
      return { channelId, status: "resync", messages: [], head, missingRevs: [] };
    }
    return { channelId, status: "ok", messages: changes, head, missingRevs: this.#missingAfter(afterRev) };
  }

  #head() {
    return { seq: this.#seq, rev: this.#rev };
  }

  #missingAfter(afterRev: number): number[] {
    const taken = [...this.#open.map(({ rev }) => rev), ...this.#dead];
    return taken.filter((rev) => rev > afterRev).sort((a, b) => a - b);
  }
}
