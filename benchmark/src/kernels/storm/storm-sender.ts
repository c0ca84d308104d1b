import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../broadcast/clock.ts";
import type { SentMessages } from "../broadcast/sent-messages.ts";
import type { SdkMember } from "./sdk-member.ts";

/** Slightly longer than the SDK's retries of a message. */
const SETTLE_MS = 75_000;

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

/**
 * Sends at a steady rate, even while servers are down: latency is measured from the intended instant.
 * @returns stops it, and waits, with a limit, until each message is acknowledged or has failed
 */
export function startSending(options: StormSenderOptions): () => Promise<void> {
  const { messages, senders, users, messagesPerSecond, most } = options;
  const stopping = new AbortController();
  const isRunning = () => !stopping.signal.aborted;
  const send = async () => {
    const startMs = nowMs();
    for (let i = 0; isRunning() && i < most; i++) {
      const intendedMs = startMs + (i * 1000) / messagesPerSecond;
      const waitMs = intendedMs - nowMs();
      if (waitMs > 0) await sleep(waitMs);
      if (isRunning()) messages.send(senders[i % senders.length]!, users, intendedMs);
    }
  };
  const sending = send();
  return async () => {
    stopping.abort();
    await sending;
    const timer = new AbortController();
    const late = sleep(SETTLE_MS, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([Promise.all(messages.all.map(({ settled }) => settled)), late]);
    timer.abort();
  };
}
