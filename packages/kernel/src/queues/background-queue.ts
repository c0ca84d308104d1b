export interface BackgroundQueueOptions<T> {
  /** Items that are worked on at the same time. */
  atOnce: number;
  /** Items that wait; beyond it none is taken. */
  waiting: number;
  /**
   * Deals with one item, and with what goes wrong: it must not reject.
   * @param signal of the queue's end
   */
  work(item: T, signal: AbortSignal): Promise<void>;
}

/** Works in the background, on some items at a time and in the order in which they came. What waits is lost with the process. */
export class BackgroundQueue<T> {
  readonly #options: BackgroundQueueOptions<T>;
  readonly #waiting: T[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: BackgroundQueueOptions<T>) {
    this.#options = options;
  }

  /** How many items wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** @returns false when too many wait: the item is not taken. After the end nothing is, and nobody needs to hear of it. */
  add(item: T): boolean {
    if (this.#stop.signal.aborted) return true;
    if (this.#waiting.length >= this.#options.waiting) return false;
    this.#waiting.push(item);
    this.#next();
    return true;
  }

  /** Gives up what waits, and resolves when nothing is being worked on any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#waiting.length = 0;
    await Promise.all(this.#running);
  }

  #next(): void {
    if (this.#running.size >= this.#options.atOnce) return;
    const item = this.#waiting.shift();
    if (item === undefined) return;
    const running = this.#options.work(item, this.#stop.signal).finally(() => {
      this.#running.delete(running);
      this.#next();
    });
    this.#running.add(running);
  }
}
