import { percentiles, type Percentiles } from "../broadcast/percentiles.ts";
import type { Tally } from "../../receivers/tally.ts";
import type { SdkMember } from "./sdk-member.ts";
import type { StormMessage } from "./storm-sender.ts";

/** Which light and SDK members have which message. */
export class StormArrivals {
  readonly #tally: Tally;
  readonly #sdk: readonly SdkMember[];

  constructor(tally: Tally, sdk: readonly SdkMember[]) {
    this.#tally = tally;
    this.#sdk = sdk;
  }

  /** Members that do not have the message. */
  missing({ index }: StormMessage): number {
    const { receivers, received } = this.#tally.memory;
    const sdk = this.#sdk.filter(({ arrivals }) => !arrivals.has(index)).length;
    return receivers - Atomics.load(received, index) + sdk;
  }

  /** Milliseconds from the intended sending until the last member had it; null: it did not reach everyone. */
  untilLast(message: StormMessage): number | null {
    const { index, intendedMs } = message;
    const light = this.#tally.memory.receivers === 0 ? 0 : this.#tally.untilLast(index, intendedMs);
    if (light === null) return null;
    const sdk = this.#sdk.map(({ arrivals }) => arrivals.get(index));
    if (sdk.includes(undefined)) return null;
    return Math.max(light, ...sdk.map((atMs) => atMs! - intendedMs));
  }

  /** Of all deliveries of the messages to light members. */
  latencies(messages: readonly StormMessage[]): Percentiles | null {
    const parts = messages.map(({ index, intendedMs }) => this.#tally.latencies(index, intendedMs));
    const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return percentiles(all.sort());
  }

  recovered(messages: readonly StormMessage[]): number {
    return messages.reduce((sum, { index }) => sum + this.#tally.recovered(index), 0);
  }

  duplicates(messages: readonly StormMessage[]): number {
    const { duplicates } = this.#tally.memory;
    return messages.reduce((sum, { index }) => sum + Atomics.load(duplicates, index), 0);
  }
}
