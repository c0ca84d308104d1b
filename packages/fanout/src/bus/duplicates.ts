import type { Message } from "./wire.ts";

const MAX_PUBLISHERS = 10_000;

/**
 * A publication to several subjects reaches a server once for each that it has subscribed to. The copies of one
 * publisher's publication follow each other directly, so its last number is all that has to be remembered of it.
 */
export class Duplicates {
  readonly #last = new Map<string, number>();

  /** Whether a copy of this publication was shown before. */
  isRepeated({ publisher, sequence }: Message): boolean {
    if (this.#last.get(publisher) === sequence) return true;
    this.#last.delete(publisher);
    this.#last.set(publisher, sequence);
    if (this.#last.size > MAX_PUBLISHERS) {
      for (const oldest of this.#last.keys()) {
        this.#last.delete(oldest);
        break;
      }
    }
    return false;
  }
}
