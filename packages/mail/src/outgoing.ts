import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "@fanfare/kernel";

/** Mails that are being sent at once. */
const SENDING = 4;
/** Mails that wait: beyond it they are not sent, and that is logged. */
const WAITING = 1000;
/** Before the second and each further attempt; after the last a mail is given up. */
const RETRY_AFTER_MS = [1000, 10_000, 60_000];

export interface Letter {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface OutgoingOptions {
  deliver(letter: Letter): Promise<void>;
  logger: Logger;
  retryAfterMs?: readonly number[];
}

/** Sends mails in the background: nobody waits for a mail server, and what it does not take is tried again. */
export class Outgoing {
  readonly #options: Required<OutgoingOptions>;
  readonly #waiting: Letter[] = [];
  readonly #sending = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: OutgoingOptions) {
    this.#options = { retryAfterMs: RETRY_AFTER_MS, ...options };
  }

  send(letter: Letter): void {
    if (this.#stop.signal.aborted) return;
    if (this.#waiting.length >= WAITING) {
      this.#options.logger.error({ subject: letter.subject }, "a mail was not sent: too many wait");
      return;
    }
    this.#waiting.push(letter);
    this.#next();
  }

  /** Gives up what waits, and resolves when nothing is being sent any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#waiting.length = 0;
    await Promise.allSettled(this.#sending);
  }

  #next(): void {
    if (this.#sending.size >= SENDING) return;
    const letter = this.#waiting.shift();
    if (letter === undefined) return;
    const sending = this.#deliver(letter).finally(() => {
      this.#sending.delete(sending);
      this.#next();
    });
    this.#sending.add(sending);
  }

  async #deliver(letter: Letter): Promise<void> {
    const { deliver, logger, retryAfterMs } = this.#options;
    const { signal } = this.#stop;
    for (const waitMs of [...retryAfterMs, null]) {
      try {
        await deliver(letter);
        return;
      } catch (error) {
        // Without the address: a log is read by more people than a mail.
        logger.warn({ err: error, subject: letter.subject }, "a mail could not be sent");
        if (waitMs === null || isFinal(error) || signal.aborted) return;
        await delay(waitMs, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
      }
    }
  }
}

/** The server has said no, and will say so again: 5xx. */
function isFinal(error: unknown): boolean {
  return error instanceof Error && "responseCode" in error && Number(error.responseCode) >= 500;
}
