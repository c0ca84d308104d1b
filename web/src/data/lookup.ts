/** What one call of a lookup answers: what is left out is not there. */
export type LoadMany<V> = (ids: string[]) => Promise<Map<string, V>>;

export interface LookupOptions<V> {
  load: LoadMany<V>;
  perCall: number;
  /** The oldest are forgotten beyond this, and looked up again when they are wanted. */
  max: number;
}

/** Values by id. Those that are wanted in the same moment are looked up together. */
export class Lookup<V> {
  readonly #options: LookupOptions<V>;
  readonly #values = new Map<string, V>();
  readonly #asked = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #wanted = new Set<string>();
  #count = 0;

  constructor(options: LookupOptions<V>) {
    this.#options = options;
  }

  /** Grows with every change. */
  readonly count = (): number => this.#count;

  readonly get = (id: string): V | undefined => this.#values.get(id);

  want(id: string): void {
    if (this.#values.has(id) || this.#asked.has(id)) return;
    this.#asked.add(id);
    if (this.#wanted.size === 0) queueMicrotask(() => void this.#load());
    this.#wanted.add(id);
  }

  put(values: Iterable<readonly [string, V]>): void {
    for (const [id, value] of values) {
      this.#values.delete(id);
      this.#values.set(id, value);
    }
    for (const id of this.#values.keys()) {
      if (this.#values.size <= this.#options.max) break;
      this.#values.delete(id);
      this.#asked.delete(id);
    }
    this.#tell();
  }

  /** To be looked up again when it is wanted. */
  forget(id: string): void {
    this.#asked.delete(id);
    if (this.#values.delete(id)) this.#tell();
  }

  /** Looks up anew all that is held. */
  refresh(): void {
    const ids = [...this.#values.keys()];
    this.#asked.clear();
    if (this.#wanted.size === 0 && ids.length > 0) queueMicrotask(() => void this.#load());
    for (const id of ids) this.#wanted.add(id);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  async #load(): Promise<void> {
    const ids = [...this.#wanted];
    this.#wanted = new Set();
    for (let from = 0; from < ids.length; from += this.#options.perCall) {
      const some = ids.slice(from, from + this.#options.perCall);
      try {
        this.put(await this.#options.load(some));
      } catch {
        for (const id of some) this.#asked.delete(id);
      }
    }
  }

  #tell(): void {
    this.#count += 1;
    for (const listener of this.#listeners) listener();
  }
}
