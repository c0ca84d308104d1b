import { FULL_CHANNEL_MS, MAX_FULL_CHANNELS } from "./bounds.ts";

/**
 * Channels whose queue was full a moment ago: what would only be refused further in is refused at the door, where that costs
 * a fraction. The time is shorter than a full queue lasts, so that the services never run out of work because of it.
 */
export class FullChannels {
  readonly #until = new Map<string, number>();

  add(channelId: string, nowMs: number): void {
    if (this.#until.size >= MAX_FULL_CHANNELS) this.#until.clear();
    this.#until.set(channelId, nowMs + FULL_CHANNEL_MS);
  }

  has(channelId: string, nowMs: number): boolean {
    const untilMs = this.#until.get(channelId);
    if (untilMs === undefined) return false;
    if (untilMs > nowMs) return true;
    this.#until.delete(channelId);
    return false;
  }
}
