/** So many channels have something of their own; of those that were asked for longest ago it is forgotten. */
const MAX_CHANNELS = 50;

/** Makes something once for each channel. */
export class PerChannel<T> {
  readonly #make: (channelId: string) => T;
  readonly #made = new Map<string, T>();

  constructor(make: (channelId: string) => T) {
    this.#make = make;
  }

  of(channelId: string): T {
    const value = this.#made.get(channelId) ?? this.#make(channelId);
    this.#made.delete(channelId);
    this.#made.set(channelId, value);
    for (const oldest of this.#made.keys()) {
      if (this.#made.size <= MAX_CHANNELS) break;
      this.#made.delete(oldest);
    }
    return value;
  }

  all(): Iterable<T> {
    return this.#made.values();
  }
}
