import { LIMITS } from "@fanfare/contract";

/** Limits the size of a result: a page ends when the budget is used up. */
export class ResponseBudget {
  #left: number;
  #isEmpty = true;

  /** @param bytes default: the contract's limit for one result */
  constructor(bytes: number = LIMITS.answerMaxBytes) {
    this.#left = bytes;
  }

  /**
   * Subtracts the size of an item as JSON in UTF-8. The first item always fits, because an empty page could not be continued.
   * @returns whether the item fits; after the first that doesn't, none does, so that pages have no gaps
   */
  take(item: unknown): boolean {
    if (this.#left <= 0 && !this.#isEmpty) return false;
    const bytes = jsonBytes(item);
    if (bytes > this.#left && !this.#isEmpty) {
      this.#left = 0;
      return false;
    }
    this.#isEmpty = false;
    this.#left -= bytes;
    return true;
  }

  /** Whether no further item fits. */
  get isExhausted(): boolean {
    return this.#left <= 0 && !this.#isEmpty;
  }

  /** The items that fit, up to the first that doesn't. */
  takeWhileFits<T>(items: readonly T[]): T[] {
    const end = items.findIndex((item) => !this.take(item));
    return end === -1 ? [...items] : items.slice(0, end);
  }
}

/** The size of a value as JSON in UTF-8, in bytes. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? 0 : Buffer.byteLength(text);
}
