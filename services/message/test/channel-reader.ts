import type { EventName, EventPayload, Message } from "@fanfare/contract";
import type { MessageNode } from "./message-node.ts";

/** The client algorithm of the README in its simplest form: a copy of one channel, built from a page, events and syncs. */
export class ChannelReader {
  readonly messages = new Map<string, Message>();
  readonly #node: MessageNode;
  readonly #userId: string;
  readonly #channelId: string;
  /** The copy contains all changes up to this rev. */
  rev = 0;
  readonly #ahead = new Set<number>();

  constructor(node: MessageNode, userId: string, channelId: string) {
    this.#node = node;
    this.#userId = userId;
    this.#channelId = channelId;
  }

  async load(): Promise<void> {
    const page = await this.#node.as(this.#userId, "message.list", {
      channelId: this.#channelId,
      limit: 100,
    });
    for (const message of page.messages) this.#apply(message);
    this.#setRev(page.head.rev);
  }

  receive(name: EventName, payload: EventPayload<EventName>): void {
    const messages =
      name === "message.created"
        ? (payload as EventPayload<"message.created">).messages
        : name === "message.changed" || name === "message.deleted"
          ? [(payload as EventPayload<"message.changed">).message]
          : [];
    for (const message of messages) {
      if (message.channelId !== this.#channelId) continue;
      this.#apply(message);
      if (message.rev > this.rev) this.#ahead.add(message.rev);
    }
    while (this.#ahead.delete(this.rev + 1)) this.rev += 1;
  }

  get mustSync(): boolean {
    return this.#ahead.size > 0;
  }

  /** @returns the status from the server: after "resync" the newest page must be loaded */
  async sync(): Promise<string> {
    const { channels } = await this.#node.as(this.#userId, "channel.sync", {
      cursors: [{ channelId: this.#channelId, afterRev: this.rev }],
    });
    const { status, messages, head } = channels[0]!;
    if (status !== "ok") return status;
    for (const message of messages) this.#apply(message);
    this.#setRev(Math.max(head.rev, this.rev));
    return status;
  }

  /** In order of seq. */
  get copy(): Message[] {
    return [...this.messages.values()].sort((a, b) => a.seq - b.seq);
  }

  #setRev(rev: number): void {
    this.rev = rev;
    for (const number of this.#ahead) if (number <= rev) this.#ahead.delete(number);
    while (this.#ahead.delete(this.rev + 1)) this.rev += 1;
  }

  #apply(message: Message): void {
    const held = this.messages.get(message.id);
    if (held === undefined || held.rev < message.rev) this.messages.set(message.id, message);
  }
}

/** Reads all messages of a channel page by page. */
export async function readAll(node: MessageNode, userId: string, channelId: string): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const { messages } = await node.as(userId, "message.list", {
      channelId,
      after: all.at(-1)?.seq ?? 0,
      limit: 100,
    });
    if (messages.length === 0) return all;
    all.push(...messages);
  }
}
