import { compareExactly } from "../values/compare.ts";
import { encodeKey } from "../values/key.ts";

/** Distinct values: numbers that are equal are one value, whatever their types. */
export class Distinct {
  readonly #byKey = new Map<string, unknown[]>();

  constructor(values: Iterable<unknown> = []) {
    for (const value of values) this.add(value);
  }

  /** @returns the value that represents all equal ones */
  add(value: unknown): unknown {
    const key = encodeKey(value);
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, [value]);
    else {
      const found = find(known, value);
      if (found >= 0) return known[found];
      known.push(value);
    }
    return value;
  }

  has(value: unknown): boolean {
    const known = this.#byKey.get(encodeKey(value));
    return known !== undefined && find(known, value) >= 0;
  }

  get values(): unknown[] {
    return [...this.#byKey.values()].flat(1);
  }
}

/** Values with one key differ only if they are decimals, or contain some. */
const find = (known: readonly unknown[], value: unknown): number =>
  known.findIndex((other) => compareExactly(other, value) === 0);
