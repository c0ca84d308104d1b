import type { Collation } from "../values/collation.ts";
import { compareExactly, encodeKey } from "../values/order.ts";
import { isObject } from "../values/types.ts";

/** Collects distinct values. Equal numbers of different types are one value, and so are strings that are equal in the collation. */
export class Distinct {
  readonly #byKey = new Map<string, unknown[]>();
  readonly #collation: Collation | undefined;
  /** One representative of each set of equal strings, in order. */
  readonly #strings: string[] = [];

  constructor(collation: Collation | undefined, values: Iterable<unknown> = []) {
    this.#collation = collation;
    for (const value of values) this.add(value);
  }

  /** @returns the representative of all equal values */
  add(value: unknown): unknown {
    const key = this.#keyOf(value);
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, [value]);
    else {
      const found = this.#find(known, value);
      if (found >= 0) return known[found];
      known.push(value);
    }
    return value;
  }

  has(value: unknown): boolean {
    const known = this.#byKey.get(this.#keyOf(value));
    return known !== undefined && this.#find(known, value) >= 0;
  }

  get values(): unknown[] {
    return [...this.#byKey.values()].flat(1);
  }

  /** Values with the same key can only differ if they are or contain decimals. */
  #find(known: readonly unknown[], value: unknown): number {
    return known.findIndex((other) => compareExactly(other, value, this.#collation) === 0);
  }

  #keyOf(value: unknown): string {
    return encodeKey(this.#collation ? this.#represented(value, this.#collation) : value);
  }

  /** The value with each string replaced by its representative. */
  #represented(value: unknown, collation: Collation): unknown {
    if (typeof value === "string") return this.#representative(value, collation);
    if (Array.isArray(value)) return value.map((element) => this.#represented(element, collation));
    if (!isObject(value)) return value;
    const fields = Object.entries(value).map(([name, field]) => [name, this.#represented(field, collation)]);
    return Object.fromEntries(fields);
  }

  #representative(text: string, { compare }: Collation): string {
    let [low, high] = [0, this.#strings.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compare(text, this.#strings[middle]!);
      if (order === 0) return this.#strings[middle]!;
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    this.#strings.splice(low, 0, text);
    return text;
  }
}
