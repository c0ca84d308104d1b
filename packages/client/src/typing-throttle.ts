/** Maximum number of tracked channels; the oldest is dropped first. */
const MAX_CHANNELS = 100;

/** Throttles typing notifications per channel to the rate at which the server publishes them. */
export class TypingThrottle {
  readonly #intervalMs: number;
  readonly #notify: (channelId: string) => void;
  readonly #notifiedAtMs = new Map<string, number>();

  constructor(intervalMs: number, notify: (channelId: string) => void) {
    this.#intervalMs = intervalMs;
    this.#notify = notify;
  }

  trigger(channelId: string, nowMs = Date.now()): void {
    const notifiedAtMs = this.#notifiedAtMs.get(channelId);
    if (notifiedAtMs !== undefined && nowMs - notifiedAtMs < this.#intervalMs) return;
    this.#notifiedAtMs.delete(channelId);
    this.#notifiedAtMs.set(channelId, nowMs);
    for (const oldest of this.#notifiedAtMs.keys()) {
      if (this.#notifiedAtMs.size <= MAX_CHANNELS) break;
      this.#notifiedAtMs.delete(oldest);
    }
    this.#notify(channelId);
  }
}
