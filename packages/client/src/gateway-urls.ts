/** The gateway URLs of a client, of which one is used at a time. */
export class GatewayUrls {
  readonly #origins: readonly string[];
  #index = 0;

  /** @throws {TypeError} if there is none, or one is not a valid URL */
  constructor(urls: string | readonly string[]) {
    this.#origins = (typeof urls === "string" ? [urls] : urls).map((url) => new URL(url).origin);
    if (this.#origins.length === 0) throw new TypeError("Pass at least one gateway URL.");
  }

  get current(): string {
    return this.#origins[this.#index]!;
  }

  /** Moves to the next gateway. */
  next(): void {
    this.#index = (this.#index + 1) % this.#origins.length;
  }
}
