import type { KeyRange, OrderedIndex } from "../index/ordered-index.ts";
import { AFTER, invertKey } from "../values/key.ts";
import { compileFilter } from "./matcher.ts";
import type { Bound, Constraint, Constraints, constraintsOf } from "./constraints.ts";
import type { SortField } from "./sort.ts";
import type { PlainObject } from "../values/types.ts";

/** More ranges than this are read as one whole scan instead ($in lists multiply in compound indexes). */
const MAX_RANGES = 4096;

type ConstraintsFor = ReturnType<typeof constraintsOf>;

export interface IndexPlan {
  readonly index: OrderedIndex;
  readonly ranges: readonly KeyRange[];
  readonly backwards: boolean;
  /** The records come in the order the query asked for. */
  readonly sorted: boolean;
  /** Every record in the ranges matches: the filter need not be evaluated. */
  readonly covered: boolean;
  /** Fields whose bounds come from the filter, for `explain`. */
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
  // Different elements of an array may satisfy the two ends: only one end can bound the scan.
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
    // Bounds on two fields of the same array would demand both of one element, which the query does not.
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

/** 1 or -1 when a scan in that direction gives the order asked for, 0 when it does not. */
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

/** An array has several keys in the index, but one place in an order: that of its least or greatest element. */
function isMultikey(index: OrderedIndex, path: string): boolean {
  return index.multikeyFields[index.spec.fields.findIndex((field) => field.path === path)] === true;
}

/** Whether every document the query can match is in the index (sparse and partial indexes leave some out). */
function holdsAllMatches(index: OrderedIndex, constraints: Constraints): boolean {
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

/** The way to read an index, whether it is a good one or not. */
function planWith(
  index: OrderedIndex,
  constraintsFor: ConstraintsFor,
  order: readonly SortField[] | undefined,
) {
  const { collation } = index.spec;
  const constraints = constraintsFor(collation);
  // The keys of strings with a collation are in no order.
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
 * Chooses the index that answers a filter with the least reading: equalities first, then lists, ranges and order.
 * @returns undefined when no index helps
 */
export function choosePlan(
  indexes: readonly OrderedIndex[],
  constraintsFor: ConstraintsFor,
  sort: readonly SortField[] | undefined,
): IndexPlan | undefined {
  let best: { plan: IndexPlan; score: number } | undefined;
  for (const index of indexes) {
    if (index.spec.hidden || !holdsAllMatches(index, constraintsFor(index.spec.collation))) continue;
    const candidate = planWith(index, constraintsFor, sort);
    const isUseful = candidate.plan.boundFields > 0 || (sort && candidate.plan.sorted);
    if (isUseful && (!best || candidate.score > best.score)) best = candidate;
  }
  return best?.plan;
}

/** Reads the index that a query names. As in MongoDB, documents that a sparse or partial index leaves out aren't found. */
export const planHinted = (
  index: OrderedIndex,
  constraintsFor: ConstraintsFor,
  sort: readonly SortField[] | undefined,
): IndexPlan => planWith(index, constraintsFor, sort).plan;
