import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../broadcast/clock.ts";
import type { SentMessages } from "../broadcast/sent-messages.ts";
import type { SdkMember } from "./sdk-member.ts";

/** Slightly longer than the SDK's retries of a message. */
const SETTLE_MS = 75_000;

/** Sends at a steady rate, even while servers are down: latency is measured from the intended instant. */
export class StormSender {
  readonly #options: StormSenderOptions;
  #isRunning = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: StormSenderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
    this.#loop = this.#run();
  }

  /** Stops sending, and waits, with a limit, until each message is acknowledged or has failed. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#loop;
    const timer = new AbortController();
    const late = sleep(SETTLE_MS, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#options.messages.all.map(({ settled }) => settled)), late]);
    timer.abort();
  }

  async #run(): Promise<void> {
    const { messages, senders, users, messagesPerSecond, most } = this.#options;
    const startMs = nowMs();
    for (let i = 0; this.#isRunning && i < most; i++) {
      const intendedMs = startMs + (i * 1000) / messagesPerSecond;
      const waitMs = intendedMs - nowMs();
      if (waitMs > 0) await sleep(waitMs);
      if (this.#isRunning) messages.send(senders[i % senders.length]!, users, intendedMs);
    }
  }
}

export interface StormSenderOptions {
  messages: SentMessages;
  /** They take turns. */
  senders: readonly SdkMember[];
  /** How many members receive. */
  users: number;
  messagesPerSecond: number;
  /** The limit in total. */
  most: number;
}
