/** The gateways that a client may use, one at a time. */
export class Addresses {
  readonly #origins: readonly string[];
  #at = 0;

  /** @throws {TypeError} when there is none, or one is not a URL */
  constructor(urls: string | readonly string[]) {
    this.#origins = (typeof urls === "string" ? [urls] : urls).map((url) => new URL(url).origin);
    if (this.#origins.length === 0) throw new TypeError("Give at least one url of a gateway.");
  }

  get current(): string {
    return this.#origins[this.#at]!;
  }

  /** The current one could not be used, or is to be left. */
  next(): void {
    this.#at = (this.#at + 1) % this.#origins.length;
  }
}
