import { joined } from "../broadcast/broadcast-summary.ts";
import { percentiles, type Percentiles } from "../broadcast/percentiles.ts";
import type { SentMessage } from "../broadcast/sent-messages.ts";
import type { Tally } from "../../receivers/tally.ts";
import type { SdkMember } from "./sdk-member.ts";

/** Which light and SDK members have which message. */
export class StormArrivals {
  readonly #tally: Tally;
  readonly #sdk: readonly SdkMember[];

  constructor(tally: Tally, sdk: readonly SdkMember[]) {
    this.#tally = tally;
    this.#sdk = sdk;
  }

  /** Members that do not have the message. */
  missing({ index }: SentMessage): number {
    const { receivers, received } = this.#tally.memory;
    const sdk = this.#sdk.filter(({ arrivals }) => !arrivals.has(index)).length;
    return receivers - Atomics.load(received, index) + sdk;
  }

  /** Milliseconds from the intended sending until the last member had it; null: it did not reach everyone. */
  untilLast(message: SentMessage): number | null {
    const { index, sentAtMs } = message;
    const light = this.#tally.memory.receivers === 0 ? 0 : this.#tally.untilLast(index, sentAtMs);
    if (light === null) return null;
    const sdk = this.#sdk.map(({ arrivals }) => arrivals.get(index));
    if (sdk.includes(undefined)) return null;
    return Math.max(light, ...sdk.map((atMs) => atMs! - sentAtMs));
  }

  /** Of all deliveries of the messages to light members. */
  latencies(messages: readonly SentMessage[]): Percentiles | null {
    const parts = messages.map(({ index, sentAtMs }) => this.#tally.latencies(index, sentAtMs));
    return percentiles(joined(parts));
  }

  recovered(messages: readonly SentMessage[]): number {
    return messages.reduce((sum, { index }) => sum + this.#tally.recovered(index), 0);
  }

  duplicates(messages: readonly SentMessage[]): number {
    const { duplicates } = this.#tally.memory;
    return messages.reduce((sum, { index }) => sum + Atomics.load(duplicates, index), 0);
  }
}
