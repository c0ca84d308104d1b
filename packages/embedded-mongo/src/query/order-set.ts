/** A JavaScript set takes longer for growing than a command may take without a pause, so there are many. */
const PARTS = 64;

/** A set of orders that can hold millions. */
export class OrderSet {
  readonly #parts = Array.from({ length: PARTS }, () => new Set<number>());

  /** @returns false if it was there */
  add(order: number): boolean {
    const part = this.#parts[order % PARTS]!;
    const { size } = part;
    return part.add(order).size > size;
  }
}
