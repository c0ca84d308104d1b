import { LIMITS } from "@fanfare/contract";

/** The bytes that one answer can still take: a list stops when they are used up, and says that there is more. */
export class AnswerBudget {
  #left: number;
  #isEmpty = true;

  /** @param bytes defaults to what the contract allows one answer */
  constructor(bytes: number = LIMITS.answerMaxBytes) {
    this.#left = bytes;
  }

  /**
   * Takes the size of an item, as JSON in UTF-8. The first item always fits, because a page without items could not be continued.
   * @returns false where the item does not fit; from then on no item does, so that a list has no gaps
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

  /** Whether an item was refused, or the next one certainly is. */
  get isUsedUp(): boolean {
    return this.#left <= 0 && !this.#isEmpty;
  }

  /** The items from the first on that fit. */
  cut<T>(items: readonly T[]): T[] {
    const end = items.findIndex((item) => !this.take(item));
    return end === -1 ? [...items] : items.slice(0, end);
  }
}

/** The size of a value as JSON in UTF-8, in bytes. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? 0 : Buffer.byteLength(text);
}
