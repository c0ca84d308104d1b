import type { Message } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import type { GroupCommit } from "./commit/group-commit.ts";
import { KNOWN_NONCES } from "./limits.ts";
import { presentMessage } from "./message.presenter.ts";
import type { MessageRepository } from "./message.repository.ts";

export interface Send {
  channelId: string;
  authorId: string;
  content: string;
  nonce: string;
  replyTo?: string | undefined;
  /** The nonce may have been sent before. */
  resend?: boolean | undefined;
  rooms: readonly string[];
}

/**
 * Sends each nonce once. The unique index alone would do that too, but a repetition that it refuses costs its channel a further
 * write; so repetitions are recognised before wherever that is cheap.
 */
export class Sender {
  readonly #commit: GroupCommit;
  readonly #messages: Pick<MessageRepository, "find">;
  readonly #underWay = new Map<string, Promise<Message>>();
  /** The ids of the messages that were stored last, by nonce. */
  readonly #stored = new LRUCache<string, string>({ max: KNOWN_NONCES });

  constructor(commit: GroupCommit, messages: Pick<MessageRepository, "find">) {
    this.#commit = commit;
    this.#messages = messages;
  }

  send(send: Send): Promise<Message> {
    const key = `${send.channelId}:${send.authorId}:${send.nonce}`;
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const sent = this.#find(send, key).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, sent);
    return sent;
  }

  async #find(send: Send, key: string): Promise<Message> {
    const storedId = this.#stored.get(key);
    if (storedId !== undefined) {
      const stored = await this.#messages.find(send.channelId, storedId);
      if (stored !== null) return presentMessage(stored);
    }
    if (send.resend === true) {
      const stored = await this.#commit.find(send.channelId, send);
      if (stored !== null) return stored;
    }
    if (send.replyTo !== undefined) await this.#checkReply(send.channelId, send.replyTo);
    const message = await this.#create(send);
    this.#stored.set(key, message.id);
    return message;
  }

  #create({ channelId, authorId, content, nonce, replyTo, rooms }: Send): Promise<Message> {
    const item = { authorId, content, nonce, replyTo: replyTo ?? null, rooms };
    return this.#commit.create(channelId, item);
  }

  async #checkReply(channelId: string, replyTo: string): Promise<void> {
    const message = await this.#messages.find(channelId, replyTo);
    if (message === null || message.deletedAt !== null) throw serviceError("MESSAGE_NOT_FOUND");
  }
}
