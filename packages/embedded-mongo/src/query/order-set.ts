/** Split into many sets, because growing one large JavaScript set takes longer than a command's time slice. */
const PARTS = 64;

/** A set of orders that can hold millions. */
export class OrderSet {
  readonly #parts = Array.from({ length: PARTS }, () => new Set<number>());

  /** @returns false if it was already in the set */
  add(order: number): boolean {
    const part = this.#parts[order % PARTS]!;
    const { size } = part;
    return part.add(order).size > size;
  }
}
