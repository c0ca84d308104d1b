import { isPauseDue, PAUSE, type Pausing, type Task } from "../command-scope.ts";
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

/** Sorted at once, which takes about a millisecond. */
const RUN = 2048;

type Compare<T> = (a: T, b: T) => number;

/** Sorts items, however many; equal items keep their order. */
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

export const byKey = (a: { key: string }, b: { key: string }): number =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : 0;

/** Sorts a few items by precomputed keys; items with equal keys keep their order. */
export const sortByKey = <T extends { key: string }>(items: T[]): T[] => items.sort(byKey);

/** A smaller buffer would be re-sorted too often. */
const MIN_BUFFERED = 1000;

/** The first `count` items in the order of `byKey`. Buffers at most twice as many. */
export function* firstByKey<T extends { key: string }>(items: Pausing<T>, count: number): Task<T[]> {
  const most = Math.max(2 * count, MIN_BUFFERED);
  let kept: T[] = [];
  let last: string | undefined;
  for (const item of items) {
    if (item === PAUSE) {
      yield PAUSE;
      continue;
    }
    if (last !== undefined && item.key >= last) continue;
    kept.push(item);
    if (kept.length < most) continue;
    kept = yield* sortAll(kept, byKey);
    kept.length = count;
    last = kept.at(-1)?.key;
  }
  return (yield* sortAll(kept, byKey)).slice(0, count);
}
