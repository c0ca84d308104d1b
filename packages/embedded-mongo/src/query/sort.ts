import { isPauseDue, PAUSE, type Pausing, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import type { Collation } from "../values/collation.ts";
import { compareExactly, encodeKey, invertKey } from "../values/order.ts";
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
 * @returns undefined if there is nothing to sort by
 * @throws CommandError BadValue for an invalid direction
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

/** Calls `consider` with each value that a document can be sorted by: undefined for an empty array, null for a missing field. */
function forEachValue(document: PlainObject, path: Path, consider: (value: unknown) => void): void {
  for (const value of collectValues(document, path)) {
    if (!Array.isArray(value)) consider(value ?? null);
    else if (value.length === 0) consider(undefined);
    else for (const element of value) consider(element ?? null);
  }
}

/** The lowest (ascending) or highest (descending) encoded value at the path, which MongoDB sorts arrays by. */
function fieldKey(document: PlainObject, path: Path, direction: 1 | -1): string {
  let best: string | undefined;
  forEachValue(document, path, (value) => {
    const key = encodeKey(value);
    if (best === undefined || (direction > 0 ? key < best : key > best)) best = key;
  });
  return best ?? encodeKey(null);
}

function encodedKey(document: PlainObject, fields: readonly SortField[], textScore: number): string {
  let out = "";
  for (const { path, direction, textScore: byScore } of fields) {
    const key = byScore ? encodeKey(textScore) : fieldKey(document, path, direction);
    out += direction < 0 ? invertKey(key) : key;
  }
  return out;
}

/** Like `fieldKey`, but returns the value itself. */
function fieldValue(document: PlainObject, { path, direction }: SortField, collation: Collation): unknown {
  let best: { value: unknown } | undefined;
  forEachValue(document, path, (value) => {
    if (!best || direction * compareExactly(value, best.value, collation) < 0) best = { value };
  });
  return best ? best.value : null;
}

type Compare<T> = (a: T, b: T) => number;

/** An encoded key, or the values themselves if a collation compares them. */
export type SortKey = string | readonly unknown[];

export interface Order {
  readonly keyOf: (document: PlainObject, textScore?: number) => SortKey;
  readonly compare: Compare<{ key: SortKey }>;
}

export function orderBy(fields: readonly SortField[], collation: Collation | undefined): Order {
  if (!collation)
    return { keyOf: (document, textScore = 0) => encodedKey(document, fields, textScore), compare: byKey };
  return {
    keyOf: (document, textScore = 0) =>
      fields.map((field) => (field.textScore ? textScore : fieldValue(document, field, collation))),
    compare(a, b) {
      for (const [i, { direction }] of fields.entries()) {
        const order = compareExactly(a.key[i], b.key[i], collation);
        if (order !== 0) return direction * order;
      }
      return 0;
    },
  };
}

const byKey = (a: { key: SortKey }, b: { key: SortKey }): number =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : 0;

/** Number of items sorted without a pause: about a millisecond. */
const RUN = 2048;

/** Sorts any number of items stably, with pauses. */
export function* sortAll<T>(items: Pausing<T>, compare: Compare<T>): Task<T[]> {
  const runs: T[][] = [];
  let run: T[] = [];
  for (const item of items) {
    if (item === PAUSE) {
      yield PAUSE;
      continue;
    }
    run.push(item);
    if (run.length < RUN) continue;
    runs.push(run.sort(compare));
    run = [];
    if (isPauseDue(RUN)) yield PAUSE;
  }
  runs.push(run.sort(compare));
  while (runs.length > 1) {
    const count = runs.length;
    for (let i = 0; i + 1 < count; i += 2) runs.push(yield* merge(runs[i]!, runs[i + 1]!, compare));
    if (count % 2 === 1) runs.push(runs[count - 1]!);
    runs.splice(0, count);
  }
  return runs[0]!;
}

function* merge<T>(left: readonly T[], right: readonly T[], compare: Compare<T>): Task<T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (isPauseDue(0.1)) yield PAUSE;
    const isLeft = j === right.length || (i < left.length && compare(left[i]!, right[j]!) <= 0);
    merged.push(isLeft ? left[i++]! : right[j++]!);
  }
  return merged;
}

/** Minimum buffer size; a smaller buffer would be re-sorted too often. */
const MIN_BUFFERED = 1000;

/** Returns the first `count` items in order. Buffers at most twice as many. */
export function* sortFirst<T>(items: Pausing<T>, count: number, compare: Compare<T>): Task<T[]> {
  const most = Math.max(2 * count, MIN_BUFFERED);
  let kept: T[] = [];
  let last: T | undefined;
  for (const item of items) {
    if (item === PAUSE) {
      yield PAUSE;
      continue;
    }
    if (last !== undefined && compare(item, last) >= 0) continue;
    kept.push(item);
    if (kept.length < most) continue;
    kept = yield* sortAll(kept, compare);
    kept.length = count;
    last = kept.at(-1);
  }
  return (yield* sortAll(kept, compare)).slice(0, count);
}
