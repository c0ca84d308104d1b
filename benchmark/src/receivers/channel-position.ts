/** This many changes that arrived early are remembered; the next sync returns the others again. */
const MAX_AHEAD = 1000;

/**
 * How far a receiver has the channel of the run without a gap. It survives a lost connection, as the cursor for
 * `channel.sync`. In this channel messages are only created, so that a message's `seq` and `rev` are equal.
 */
export class ChannelPosition {
  readonly channelId: string;
  #rev = 0;
  readonly #ahead = new Set<number>();

  constructor(channelId: string) {
    this.channelId = channelId;
  }

  /** All changes up to this one have been received. */
  get rev(): number {
    return this.#rev;
  }

  get hasGap(): boolean {
    return this.#ahead.size > 0;
  }

  received(revs: readonly number[]): void {
    for (const rev of revs) {
      if (rev === this.#rev + 1) this.#rev = rev;
      else if (rev > this.#rev && this.#ahead.size < MAX_AHEAD) this.#ahead.add(rev);
    }
    if (this.#ahead.size > 0) this.#settle();
  }

  /** An answer had everything up to here. */
  synced(rev: number): void {
    this.#rev = Math.max(this.#rev, rev);
    this.#settle();
  }

  #settle(): void {
    while (this.#ahead.has(this.#rev + 1)) this.#rev++;
    for (const rev of this.#ahead) if (rev <= this.#rev) this.#ahead.delete(rev);
  }
}
