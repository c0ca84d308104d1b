import type { Message, Params } from "@fanfare/contract";
import { FanfareError, localError } from "./errors.ts";
import { randomId } from "./random-id.ts";
import { type Backoff, retryMs } from "./timing.ts";

/** A message that is on its way. */
export interface PendingMessage {
  readonly nonce: string;
  readonly content: string;
}

/** What a message can have besides its text. */
export type SendOptions = Pick<
  Params<"message.send">,
  "replyTo" | "mentionAuthor" | "attachmentIds" | "resend"
> & {
  /** Of a message that was kept elsewhere, with `resend: true` if it may have been sent before: the server stores a nonce once. Default: a new one. */
  nonce?: string;
};

export interface OutboxOptions {
  channelId: string;
  backoff: Backoff;
  /** After this long a failed send is not tried again. */
  giveUpAfterMs: number;
  send(params: Params<"message.send">): Promise<Message>;
  onChange(): void;
}

interface Entry {
  readonly params: Params<"message.send">;
  readonly sinceMs: number;
  tries: number;
  resolve(message: Message): void;
  reject(error: unknown): void;
}

const MAX_PENDING = 200;
/** A longer wait that the server asks for, such as by slow mode, is reported at once. */
const MAX_ASKED_WAIT_MS = 10 * 60_000;

/** Refusals: nothing was carried out, and a new connection would change nothing. */
const REFUSALS: ReadonlySet<string> = new Set(["RATE_LIMITED", "SLOW_MODE", "OVERLOADED"]);

/**
 * Messages of one channel on their way to the server, one at a time: however often one is lost or refused, they arrive in the
 * order they were written in.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  #entries: Entry[] = [];
  #isSending = false;
  #pause: { timer: ReturnType<typeof setTimeout>; endsOnline: boolean } | null = null;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  get pending(): readonly PendingMessage[] {
    return this.#entries.map(({ params: { nonce, content } }) => ({ nonce, content }));
  }

  /** @throws {FanfareError} what the server answered, or the last error when it could not be reached for too long */
  push(content: string, options: SendOptions = {}): Promise<Message> {
    if (this.#entries.length >= MAX_PENDING) {
      const message = `${MAX_PENDING} messages wait to be sent: wait for some of them first.`;
      return Promise.reject(localError("TOO_MANY_PENDING", message));
    }
    const { channelId } = this.#options;
    const params = { channelId, content, nonce: randomId(), ...options };
    return new Promise((resolve, reject) => {
      this.#entries.push({ params, sinceMs: Date.now(), tries: 0, resolve, reject });
      void this.#pump();
      this.#options.onChange();
    });
  }

  /** An event brought this message: if it is one of ours, the answer is not needed any more. */
  confirm(message: Message): void {
    const entry = this.#entries.find(({ params }) => params.nonce === message.nonce);
    if (entry === undefined) return;
    this.#remove(entry);
    entry.resolve(message);
  }

  /** The connection is back: there is no reason to wait longer for it. */
  wake(): void {
    if (this.#pause?.endsOnline === true) this.#resume();
  }

  close(): void {
    if (this.#pause !== null) clearTimeout(this.#pause.timer);
    for (const entry of this.#entries.splice(0))
      entry.reject(localError("CLOSED", "This channel was closed."));
  }

  async #pump(): Promise<void> {
    if (this.#isSending || this.#pause !== null) return;
    const entry = this.#entries[0];
    if (entry === undefined) return;
    this.#isSending = true;
    try {
      const message = await this.#options.send(entry.params);
      this.#remove(entry);
      entry.resolve(message);
    } catch (error) {
      this.#failed(entry, error);
    } finally {
      this.#isSending = false;
      void this.#pump();
    }
  }

  #failed(entry: Entry, error: unknown): void {
    entry.tries++;
    const retryable = error instanceof FanfareError && error.retryable;
    const laterMs = retryable ? error.retryAfterMs : 0;
    const isTooLate = Date.now() - entry.sinceMs + laterMs > this.#options.giveUpAfterMs;
    if (!retryable || isTooLate || laterMs > MAX_ASKED_WAIT_MS) {
      this.#remove(entry);
      entry.reject(error);
      return;
    }
    if (!REFUSALS.has(error.type)) entry.params.resend = true;
    const { retryAfterMs } = error;
    const waitMs = retryMs(entry.tries - 1, this.#options.backoff, retryAfterMs);
    if (this.#pause !== null) clearTimeout(this.#pause.timer);
    this.#pause = { timer: setTimeout(() => this.#resume(), waitMs), endsOnline: retryAfterMs === 0 };
  }

  #resume(): void {
    if (this.#pause !== null) clearTimeout(this.#pause.timer);
    this.#pause = null;
    void this.#pump();
  }

  #remove(entry: Entry): void {
    const before = this.#entries.length;
    this.#entries = this.#entries.filter((other) => other !== entry);
    if (this.#entries.length < before) this.#options.onChange();
  }
}
