/** Channels in which the user has been writing of late; the oldest is forgotten first. */
const MAX_CHANNELS = 100;

/** Lets through that the user is writing in a channel, no more often than the server tells it on. */
export class TypingNotes {
  readonly #intervalMs: number;
  readonly #tell: (channelId: string) => void;
  readonly #toldAtMs = new Map<string, number>();

  constructor(intervalMs: number, tell: (channelId: string) => void) {
    this.#intervalMs = intervalMs;
    this.#tell = tell;
  }

  note(channelId: string, nowMs = Date.now()): void {
    const toldAtMs = this.#toldAtMs.get(channelId);
    if (toldAtMs !== undefined && nowMs - toldAtMs < this.#intervalMs) return;
    this.#toldAtMs.delete(channelId);
    this.#toldAtMs.set(channelId, nowMs);
    for (const oldest of this.#toldAtMs.keys()) {
      if (this.#toldAtMs.size <= MAX_CHANNELS) break;
      this.#toldAtMs.delete(oldest);
    }
    this.#tell(channelId);
  }
}
