import type { ObjectId } from "bson";
import type { Collation } from "./collation.ts";
import { encodeKey } from "./key.ts";
import { compareNumbers, toDouble } from "./numbers.ts";
import { type PlainObject, Rank, rankOf } from "./types.ts";

const BEYOND_ASCII = /[\u0080-\uffff]/;

function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  if (BEYOND_ASCII.test(a) || BEYOND_ASCII.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** MongoDB's order of all BSON values, consistent with the index keys of {@link encodeKey}. */
export function compareValues(a: unknown, b: unknown): number {
  const rank = rankOf(a);
  const difference = rank - rankOf(b);
  if (difference !== 0) return difference;
  switch (rank) {
    case Rank.String:
      return compareStrings(String(a), String(b));
    case Rank.Number: {
      const [x, y] = [toDouble(a), toDouble(b)];
      if (x < y) return -1;
      if (x > y) return 1;
      if (Math.abs(x) < 2 ** 53 && Math.abs(y) < 2 ** 53) return 0;
      break;
    }
    case Rank.ObjectId:
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id);
    case Rank.Date:
      return (a as Date).getTime() - (b as Date).getTime();
    case Rank.Boolean:
      return Number(a) - Number(b);
    case Rank.Null:
    case Rank.Undefined:
    case Rank.MinKey:
    case Rank.MaxKey:
      return 0;
    default:
  }
  const [x, y] = [encodeKey(a), encodeKey(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

export const valuesEqual = (a: unknown, b: unknown): boolean => compareValues(a, b) === 0;

/** Like `compareValues`, but with a collation for strings, and exact for decimals, whose index keys have the precision of a double. */
export function compareExactly(a: unknown, b: unknown, collation: Collation | undefined): number {
  const rank = rankOf(a);
  if (rank !== rankOf(b)) return compareValues(a, b);
  if (rank === Rank.Number) return compareNumbers(a, b);
  if (rank === Rank.String && collation) return collation.compare(String(a), String(b));
  if (rank === Rank.Array) return compareLists(a as unknown[], b as unknown[], collation);
  if (rank === Rank.Object) return compareObjects(a as PlainObject, b as PlainObject, collation);
  return compareValues(a, b);
}

/** Compares like queries and updates: with the collation, if there is one. */
export const compare = (a: unknown, b: unknown, collation: Collation | undefined): number =>
  collation ? compareExactly(a, b, collation) : compareValues(a, b);

/** Compares field by field: type, name, value. */
function compareObjects(a: PlainObject, b: PlainObject, collation: Collation | undefined): number {
  const [fields, others] = [Object.entries(a), Object.entries(b)];
  for (const [i, [name, value]] of fields.entries()) {
    const [otherName, other] = others[i] ?? [];
    if (otherName === undefined) return 1;
    const order =
      rankOf(value) - rankOf(other) ||
      compareStrings(name, otherName) ||
      compareExactly(value, other, collation);
    if (order !== 0) return order;
  }
  return fields.length - others.length;
}

function compareLists(
  a: readonly unknown[],
  b: readonly unknown[],
  collation: Collation | undefined,
): number {
  for (const [i, value] of a.entries()) {
    if (i === b.length) return 1;
    const order = compareExactly(value, b[i], collation);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
