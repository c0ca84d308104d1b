import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../broadcast/clock.ts";
import type { ErrorTable } from "../broadcast/error-table.ts";
import { taggedContent } from "../../receivers/message-tag.ts";
import type { SdkMember } from "./sdk-member.ts";

export interface StormMessage {
  index: number;
  intendedMs: number;
  state: "sent" | "acknowledged" | "failed";
  ackMs: number | null;
}

/** Slightly longer than the SDK's retries of a message. */
const SETTLE_MS = 75_000;

/** Sends at a steady rate, even while servers are down: latency is measured from the intended instant. */
export class StormSender {
  readonly messages: StormMessage[] = [];
  readonly #settled: Promise<void>[] = [];
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
    await Promise.race([Promise.all(this.#settled), late]);
    timer.abort();
  }

  async #run(): Promise<void> {
    const { messagesPerSecond, most } = this.#options;
    const startMs = nowMs();
    for (let i = 0; this.#isRunning && i < most; i++) {
      const intendedMs = startMs + (i * 1000) / messagesPerSecond;
      const waitMs = intendedMs - nowMs();
      if (waitMs > 0) await sleep(waitMs);
      if (this.#isRunning) this.#settled.push(this.#send(i, intendedMs));
    }
  }

  async #send(index: number, intendedMs: number): Promise<void> {
    const { senders, runId, payloadBytes, errors } = this.#options;
    const message: StormMessage = { index, intendedMs, state: "sent", ackMs: null };
    this.messages.push(message);
    try {
      await senders[index % senders.length]!.send(taggedContent(runId, index, payloadBytes));
      message.state = "acknowledged";
      message.ackMs = nowMs() - intendedMs;
    } catch (error) {
      message.state = "failed";
      errors.add("send", (error as { type?: string }).type ?? (error as Error).message);
    }
  }
}

export interface StormSenderOptions {
  senders: readonly SdkMember[];
  runId: string;
  messagesPerSecond: number;
  payloadBytes: number;
  /** The limit in total. */
  most: number;
  errors: ErrorTable;
}
