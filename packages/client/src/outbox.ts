import type { Message, Params } from "@fanfare/contract";
import type { Backoff } from "@fanfare/contract/backoff";
import { FanfareError, localError } from "./errors.ts";
import { retryMs } from "./timing.ts";

/** A message that the server has not confirmed yet. */
export interface PendingMessage {
  readonly nonce: string;
  readonly content: string;
  readonly stickerId?: string | undefined;
}

/** Options of a message besides its text. */
export type SendOptions = Pick<
  Params<"message.send">,
  "replyTo" | "mentionAuthor" | "attachmentIds" | "alsoInChannel" | "poll" | "stickerId" | "resend"
> & {
  /** For a message stored elsewhere, with `resend: true` if it could have been sent before: the server stores a nonce once. Default: a new one. */
  nonce?: string;
};

export interface OutboxOptions {
  channelId: string;
  backoff: Backoff;
  /** A failed send is not retried after this time. */
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
/** If the server requests a longer delay, as in slow mode, the error is reported immediately. */
const MAX_RETRY_AFTER_MS = 10 * 60_000;

/** The call was not executed, and a new connection would not help. */
const NOT_EXECUTED: ReadonlySet<string> = new Set(["RATE_LIMITED", "SLOW_MODE", "OVERLOADED"]);

/**
 * Sends the messages of one channel one at a time, so that they arrive in order despite retries.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  #entries: Entry[] = [];
  #isSending = false;
  #isClosed = false;
  #pause: { timer: ReturnType<typeof setTimeout>; endsOnline: boolean } | null = null;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  get pending(): readonly PendingMessage[] {
    return this.#entries.map(({ params: { nonce, content, stickerId } }) => ({ nonce, content, stickerId }));
  }

  /** @throws {FanfareError} the server's error, CLOSED, TOO_MANY_PENDING, or the last error after `giveUpAfterMs` */
  push(content: string, options: SendOptions = {}): Promise<Message> {
    if (this.#isClosed) return Promise.reject(closedError());
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

  /** Confirms a pending message by its event: its result is not needed then. */
  confirm(message: Message): void {
    const entry = this.#entries.find(({ params }) => params.nonce === message.nonce);
    if (entry === undefined) return;
    this.#remove(entry);
    entry.resolve(message);
  }

  /** Retries immediately after a reconnect. */
  wake(): void {
    if (this.#pause?.endsOnline === true) this.#resume();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#pause !== null) clearTimeout(this.#pause.timer);
    for (const entry of this.#entries.splice(0)) entry.reject(closedError());
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
    if (!retryable || isTooLate || laterMs > MAX_RETRY_AFTER_MS || this.#isClosed) {
      this.#remove(entry);
      entry.reject(error);
      return;
    }
    if (!NOT_EXECUTED.has(error.type)) entry.params.resend = true;
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

const closedError = (): FanfareError => localError("CLOSED", "This channel was closed.");

/** 128 random bits as hex. `crypto.randomUUID` is not available on pages loaded over plain HTTP. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
