import type { KeyRange, OrderedIndex } from "../index/ordered-index.ts";
import { AFTER, invertKey } from "../values/order.ts";
import { compileFilter } from "./matcher.ts";
import type { Bound, Constraint, Constraints, constraintsOf } from "./constraints.ts";
import type { SortField } from "./sort.ts";
import type { PlainObject } from "../values/types.ts";

/** With more ranges, the whole index is scanned ($in lists multiply in compound indexes). */
const MAX_RANGES = 4096;

type ConstraintsFor = ReturnType<typeof constraintsOf>;

export interface IndexPlan {
  readonly index: OrderedIndex;
  readonly ranges: readonly KeyRange[];
  readonly backwards: boolean;
  /** Whether the records are in the order of the sort. */
  readonly sorted: boolean;
  /** Whether all records in the ranges match, so that the filter need not be evaluated. */
  readonly covered: boolean;
  /** Fields with bounds from the filter, for `explain`. */
  readonly boundFields: number;
}

interface Bounds {
  prefixes: string[];
  equalFields: number;
  boundFields: number;
  range: { low: string; high: string } | undefined;
  score: number;
}

const directed = (key: string, direction: 1 | -1): string => (direction < 0 ? invertKey(key) : key);

const below = (bound: Bound, key: string): string => (bound.inclusive ? key : key + AFTER);
const above = (bound: Bound, key: string): string => (bound.inclusive ? key + AFTER : key);

function fieldRange(
  constraint: Constraint,
  direction: 1 | -1,
  multikey: boolean,
): { low: string; high: string } | undefined {
  const { low, high } = constraint;
  if (!low || !high) return undefined;
  // Different elements of an array can satisfy the two bounds, so only one can limit the scan.
  const oneEnded = multikey && low.key.length > 1 && high.key.length > 1;
  const first = direction > 0 ? low : high;
  const second = direction > 0 ? high : low;
  return {
    low: below(first, directed(first.key, direction)),
    high: oneEnded ? AFTER : above(second, directed(second.key, direction)),
  };
}

function readBounds(index: OrderedIndex, constraints: Constraints): Bounds {
  const bounds: Bounds = { prefixes: [""], equalFields: 0, boundFields: 0, range: undefined, score: 0 };
  let multikeyBound = false;
  let listSeen = false;
  for (const [i, { direction }] of index.fields.entries()) {
    const constraint = constraints.fields.get(index.spec.fields[i]!.path);
    const multikey = index.multikeyFields[i]!;
    // Bounds on two fields of the same array would require one element to satisfy both, unlike the query.
    if (!constraint || (multikey && multikeyBound)) break;
    if (constraint.equal) {
      const key = directed(constraint.equal.key, direction);
      bounds.prefixes = bounds.prefixes.map((prefix) => prefix + key);
      if (!listSeen) bounds.equalFields++;
      bounds.score += 8;
    } else if (constraint.list && bounds.prefixes.length * constraint.list.length <= MAX_RANGES) {
      const keys = constraint.list.map((key) => directed(key, direction));
      bounds.prefixes = bounds.prefixes.flatMap((prefix) => keys.map((key) => prefix + key));
      listSeen = true;
      bounds.score += 6;
    } else {
      const range = fieldRange(constraint, direction, multikey);
      if (range) {
        bounds.range = range;
        bounds.boundFields++;
        bounds.score += 3;
      }
      break;
    }
    multikeyBound ||= multikey;
    bounds.boundFields++;
  }
  return bounds;
}

/** 1 or -1 if a scan in that direction returns the sort order, otherwise 0. */
function sortDirection(index: OrderedIndex, bounds: Bounds, sort: readonly SortField[]): 1 | -1 | 0 {
  if (bounds.prefixes.length !== 1) return 0;
  const fixed = new Set(index.spec.fields.slice(0, bounds.equalFields).map(({ path }) => path));
  let at = bounds.equalFields;
  let direction: 1 | -1 | 0 = 0;
  for (const { field, direction: wanted, textScore } of sort) {
    if (textScore || isMultikey(index, field)) return 0;
    if (fixed.has(field)) continue;
    const indexed = index.spec.fields[at++];
    if (indexed?.path !== field) return 0;
    const here = indexed.direction === wanted ? 1 : -1;
    if (direction !== 0 && direction !== here) return 0;
    direction = here;
  }
  return direction === 0 ? 1 : direction;
}

/** An array has several keys in the index, but is sorted by its lowest or highest element. */
function isMultikey(index: OrderedIndex, path: string): boolean {
  return index.multikeyFields[index.spec.fields.findIndex((field) => field.path === path)] === true;
}

/** Whether the index contains all documents that the query can match (sparse and partial indexes omit some). */
function coversAllMatches(index: OrderedIndex, constraints: Constraints): boolean {
  const { sparse, partialFilter, collation } = index.spec;
  const present = (constraint: Constraint | undefined) =>
    constraint !== undefined &&
    ((constraint.equal !== undefined && constraint.equal.value !== null) ||
      !!constraint.list ||
      !!constraint.low);
  if (sparse) return index.spec.fields.some(({ path }) => present(constraints.fields.get(path)));
  if (!partialFilter) return true;
  return Object.entries(partialFilter).every(([path, demand]) => {
    if (path.startsWith("$") || path.includes(".")) return false;
    const constraint = constraints.fields.get(path);
    if (!present(constraint)) return false;
    if (constraint?.equal)
      return compileFilter({ [path]: demand }, { collation })({ [path]: constraint.equal.value });
    return isExists(demand);
  });
}

const isExists = (demand: unknown): boolean =>
  typeof demand === "object" &&
  demand !== null &&
  Object.keys(demand).join() === "$exists" &&
  Boolean((demand as PlainObject)["$exists"]);

/** The plan for an index, regardless of whether it is useful. */
function planWith(
  index: OrderedIndex,
  constraintsFor: ConstraintsFor,
  order: readonly SortField[] | undefined,
) {
  const { collation } = index.spec;
  const constraints = constraintsFor(collation);
  // With a collation, the keys of strings are not ordered.
  const sort = collation ? undefined : order;
  const bounds = readBounds(index, constraints);
  const direction = sort ? sortDirection(index, bounds, sort) : 0;
  const { range } = bounds;
  const prefixes = bounds.prefixes.length > 1 ? [...new Set(bounds.prefixes)].sort() : bounds.prefixes;
  const plan: IndexPlan = {
    index,
    ranges: prefixes.map((prefix) =>
      range ? { low: prefix + range.low, high: prefix + range.high } : { low: prefix, high: prefix + AFTER },
    ),
    backwards: direction === -1,
    sorted: !order || direction !== 0,
    covered: constraints.complete && bounds.boundFields === constraints.fields.size && !index.multikey,
    boundFields: bounds.boundFields,
  };
  return { plan, score: bounds.score + (direction === 0 ? 0 : 4) };
}

/**
 * Chooses the index that needs the fewest reads for a filter: equalities first, then lists, ranges and order.
 * @returns undefined if no index helps
 */
export function choosePlan(
  indexes: readonly OrderedIndex[],
  constraintsFor: ConstraintsFor,
  sort: readonly SortField[] | undefined,
): IndexPlan | undefined {
  let best: { plan: IndexPlan; score: number } | undefined;
  for (const index of indexes) {
    if (index.spec.hidden || !coversAllMatches(index, constraintsFor(index.spec.collation))) continue;
    const candidate = planWith(index, constraintsFor, sort);
    const isUseful = candidate.plan.boundFields > 0 || (sort && candidate.plan.sorted);
    if (isUseful && (!best || candidate.score > best.score)) best = candidate;
  }
  return best?.plan;
}

/** The plan for a hinted index. As in MongoDB, documents that a sparse or partial index omits aren't found. */
export const planHinted = (
  index: OrderedIndex,
  constraintsFor: ConstraintsFor,
  sort: readonly SortField[] | undefined,
): IndexPlan => planWith(index, constraintsFor, sort).plan;
