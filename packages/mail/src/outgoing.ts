import { setTimeout as delay } from "node:timers/promises";
import { BackgroundQueue, type Logger } from "@fanfare/kernel";

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

/** What became of a mail; 'dropped' because too many waited. */
export type MailOutcome = "sent" | "failed" | "dropped";

export interface OutgoingOptions {
  deliver(letter: Letter): Promise<void>;
  logger: Logger;
  /** Told of each mail once, but not of those that are given up by `stop`. */
  onOutcome(outcome: MailOutcome): void;
  retryAfterMs?: readonly number[];
}

/** Sends mails in the background: nobody waits for a mail server, and what it does not take is tried again. */
export class Outgoing {
  readonly #options: Required<OutgoingOptions>;
  readonly #queue: BackgroundQueue<Letter>;

  constructor(options: OutgoingOptions) {
    this.#options = { retryAfterMs: RETRY_AFTER_MS, ...options };
    this.#queue = new BackgroundQueue({
      atOnce: SENDING,
      waiting: WAITING,
      work: (letter, signal) => this.#deliver(letter, signal),
    });
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  send(letter: Letter): void {
    if (this.#queue.add(letter)) return;
    this.#options.logger.error({ subject: letter.subject }, "a mail was not sent: too many wait");
    this.#options.onOutcome("dropped");
  }

  /** Gives up what waits, and resolves when nothing is being sent any more. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #deliver(letter: Letter, signal: AbortSignal): Promise<void> {
    const { deliver, logger, onOutcome, retryAfterMs } = this.#options;
    for (const waitMs of [...retryAfterMs, null]) {
      try {
        await deliver(letter);
        onOutcome("sent");
        return;
      } catch (error) {
        // Without the address: a log is read by more people than a mail.
        logger.warn({ err: error, subject: letter.subject }, "a mail could not be sent");
        if (waitMs === null || isFinal(error)) return onOutcome("failed");
        if (signal.aborted) return;
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
