import { CommandError } from "../errors.ts";
import { encodeKey, invertKey } from "../values/key.ts";
import { isNumeric, toDouble } from "../values/numbers.ts";
import { collectValues, type Path, splitPath } from "../values/path.ts";
import { isObject, type PlainObject } from "../values/types.ts";

export interface SortField {
  readonly field: string;
  readonly path: Path;
  readonly direction: 1 | -1;
  /** Sort by the score of `$text` instead of a field. */
  readonly textScore: boolean;
}

/**
 * @returns undefined when there is nothing to sort by
 * @throws CommandError BadValue for a direction that is none
 */
export function parseSort(sort: unknown): readonly SortField[] | undefined {
  if (sort === undefined || sort === null) return undefined;
  if (!isObject(sort)) throw new CommandError("TypeMismatch", "Expected field 'sort' to be of type object");
  const fields = Object.entries(sort).map(([field, order]): SortField => {
    if (isObject(order) && order["$meta"] === "textScore") {
      return { field, path: [], direction: -1, textScore: true };
    }
    const direction = isNumeric(order) ? toDouble(order) : 0;
    if (direction !== 1 && direction !== -1) {
      throw new CommandError(
        "BadValue",
        'Illegal key in $sort specification: the order must be 1, -1 or {$meta: "textScore"}',
      );
    }
    return { field, path: splitPath(field), direction, textScore: false };
  });
  return fields.length > 0 ? fields : undefined;
}

/** The lowest (ascending) or highest (descending) encoded value at the path: what MongoDB sorts an array by. */
function fieldKey(document: PlainObject, path: Path, direction: 1 | -1): string {
  let best: string | undefined;
  const consider = (value: unknown, insideArray: boolean) => {
    const key = encodeKey(value === undefined && !insideArray ? null : value);
    if (best === undefined || (direction > 0 ? key < best : key > best)) best = key;
  };
  for (const value of collectValues(document, path)) {
    if (!Array.isArray(value)) consider(value, false);
    else if (value.length === 0) consider(undefined, true);
    else for (const element of value) consider(element, false);
  }
  return best ?? encodeKey(null);
}

export function sortKey(document: PlainObject, fields: readonly SortField[], textScore = 0): string {
  let out = "";
  for (const { path, direction, textScore: byScore } of fields) {
    const key = byScore ? encodeKey(textScore) : fieldKey(document, path, direction);
    out += direction < 0 ? invertKey(key) : key;
  }
  return out;
}

/** Sorts by precomputed keys; items with equal keys keep their order. */
export function sortByKey<T extends { key: string }>(items: T[]): T[] {
  return items.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** A smaller buffer would be re-sorted too often. */
const MIN_BUFFERED = 1000;

/** The first `count` items in the order of `sortByKey`. Buffers at most twice as many. */
export function firstByKey<T extends { key: string }>(items: Iterable<T>, count: number): T[] {
  const most = Math.max(2 * count, MIN_BUFFERED);
  const kept: T[] = [];
  for (const item of items) {
    kept.push(item);
    if (kept.length < most) continue;
    sortByKey(kept);
    kept.length = count;
  }
  return sortByKey(kept).slice(0, count);
}
