import { commandVariables, isPauseDue, PAUSE, type Pausing, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { findSpec } from "../index/spec.ts";
import type { Collection } from "../storage/collection.ts";
import type { StoredRecord } from "../storage/database.ts";
import type { Collation } from "../values/collation.ts";
import { decodeFields, packNames } from "../values/codec.ts";
import { integerOption } from "../values/numbers.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { type Constraints, constraintsOf } from "./constraints.ts";
import { compileFilter, filterFields, type FilterOptions, usesWholeDocument } from "./matcher.ts";
import { choosePlan, type IndexPlan, planHinted } from "./planner.ts";
import { type Order, orderBy, parseSort, sortAll, type SortField, sortFirst, type SortKey } from "./sort.ts";
import { searchText, type TextScores } from "./text-search.ts";

/** A change of more documents doesn't displace the cached ones. */
const MAX_KEPT = 1000;

/** Limits of the documents that a query reads without a pause. */
const MAX_AT_ONCE = 128;
const MAX_BYTES_AT_ONCE = 1024 * 1024;

/** Query options shared by all commands. */
export interface QueryOptions {
  /** The name or key pattern of the index to read, or {$natural: 1 | -1} for none. */
  readonly hint?: unknown;
  readonly collation?: Collation | undefined;
}

export interface Selection extends QueryOptions {
  readonly filter: PlainObject;
  readonly sort?: unknown;
  readonly skip?: number;
  /** 0: no limit. */
  readonly limit?: number;
  /** The number of records that the caller reads immediately. */
  readonly batchSize?: number;
}

export type AccessPath =
  /** Covered: the filter has no other condition. */
  | { readonly kind: "id"; readonly ids: readonly string[]; readonly covered: boolean }
  | { readonly kind: "index"; readonly plan: IndexPlan }
  | { readonly kind: "union"; readonly plans: readonly AccessPath[] }
  | { readonly kind: "text" }
  | { readonly kind: "scan" };

interface Selected {
  /**
   * Results are ordered and read lazily, without a snapshot: a document that changes during the query is returned with its current
   * content, or not if it no longer matches. If its position in the index or sort order changes, it can be skipped or returned twice,
   * as in MongoDB. A short batch is read at once, and is an array.
   */
  readonly records: Pausing<StoredRecord> | readonly StoredRecord[];
  /** Known as soon as the first record is returned. */
  readonly textScores: TextScores | undefined;
  /** The number of sorted records that were deleted or changed before they were returned. */
  readonly lost: () => number;
}

/**
 * Chooses how to find the documents that a filter can match, with an index for `sort` if possible.
 * @throws {CommandError} BadValue if the hinted index doesn't exist
 */
export function accessPath(
  collection: Collection,
  filter: PlainObject,
  sort: readonly SortField[] | undefined,
  { hint, collation }: QueryOptions,
): AccessPath {
  const isHinted = checkHint(hint);
  if ("$text" in filter) {
    if (isHinted) throw new CommandError("BadValue", "Text and hint not allowed in same query");
    return { kind: "text" };
  }
  const constraintsFor = constraintsOf(filter, collation);
  const constraints = constraintsFor(undefined);
  const order = collation ? undefined : sort;
  if (isHinted) return hintedPath(collection, hint, constraintsFor, order);
  const id = constraints.fields.get("_id");
  const covered = constraints.complete && constraints.fields.size === 1;
  if (id?.equal) return { kind: "id", ids: [id.equal.key], covered };
  const plan = choosePlan(collection.indexes, constraintsFor, order);
  if (plan?.sorted && plan.boundFields > 0) return { kind: "index", plan };
  if (id?.list && (!order || !plan)) return { kind: "id", ids: id.list, covered };
  if (plan) return { kind: "index", plan };
  return (
    unionPath(collection, constraints, collation) ??
    idOrderPath(collection, constraints, order) ?? { kind: "scan" }
  );
}

/** @returns whether there is a hint */
function checkHint(hint: unknown): hint is string | PlainObject {
  if (hint === undefined || (isObject(hint) && Object.keys(hint).length === 0)) return false;
  if (typeof hint === "string" || isObject(hint)) return true;
  throw new CommandError("FailedToParse", "hint must be either a string or nested object");
}

function hintedPath(
  collection: Collection,
  hint: string | PlainObject,
  constraintsFor: ReturnType<typeof constraintsOf>,
  sort: readonly SortField[] | undefined,
): AccessPath {
  if (naturalOrder(hint) !== undefined) return { kind: "scan" };
  const spec = findSpec(collection.specs, hint);
  const index = [collection.idIndex, ...collection.indexes].find((candidate) => candidate.spec === spec);
  if (!index || index.spec.hidden)
    throw new CommandError("BadValue", "hint provided does not correspond to an existing index");
  return { kind: "index", plan: planHinted(index, constraintsFor, sort) };
}

/** The direction of `$natural` in a sort or hint. */
const naturalOrder = (order: unknown): number | undefined =>
  isObject(order) && "$natural" in order ? integerOption(order["$natural"], "$natural", 1) : undefined;

function unionPath(
  collection: Collection,
  { anyOf }: Constraints,
  collation: Collation | undefined,
): AccessPath | undefined {
  if (!anyOf) return undefined;
  const plans = anyOf.map((branch) => accessPath(collection, branch, undefined, { collation }));
  return plans.every(({ kind }) => kind === "id" || kind === "index" || kind === "union")
    ? { kind: "union", plans }
    : undefined;
}

/** Uses the index on `_id`. */
function idOrderPath(
  collection: Collection,
  constraints: Constraints,
  sort: readonly SortField[] | undefined,
): AccessPath | undefined {
  if (!constraints.fields.get("_id")?.low && sort?.[0]?.field !== "_id") return undefined;
  const plan = choosePlan([collection.idIndex], () => constraints, sort);
  return plan && { kind: "index", plan };
}

/** Whether an access path returns the sort order; no index does with a collation. */
export const isSorted = (path: AccessPath, collation: Collation | undefined): boolean =>
  (path.kind === "id" && path.ids.length === 1) ||
  (path.kind === "index" && path.plan.sorted && collation === undefined);

/** @param wanted the number of records that the caller needs, if known */
function read(collection: Collection, path: AccessPath, wanted = 0): Pausing<StoredRecord> {
  switch (path.kind) {
    case "id":
      return readIds(collection, path.ids);
    case "index":
      return fetched(collection, readIndex(path.plan, wanted));
    case "union":
      return readUnion(collection, path.plans);
    default:
      return collection.records();
  }
}

function* readIds(collection: Collection, ids: readonly string[]): Generator<StoredRecord | typeof PAUSE> {
  for (const id of ids) {
    const record = collection.find(id);
    if (record) yield record;
    if (isPauseDue()) yield PAUSE;
  }
}

function* readUnion(
  collection: Collection,
  paths: readonly AccessPath[],
): Generator<StoredRecord | typeof PAUSE> {
  const orders = unionOrders(collection, paths, new OrderSet());
  yield* fetched(collection, yield* sortAll(orders, (a, b) => a - b));
}

function* fetched(
  collection: Collection,
  orders: Pausing<number>,
  isKept = true,
): Generator<StoredRecord | typeof PAUSE> {
  for (const order of orders) {
    if (order === PAUSE) yield PAUSE;
    else {
      const record = collection.get(order, isKept);
      if (record) yield record;
      if (isPauseDue()) yield PAUSE;
    }
  }
}

/** Removes duplicate orders. */
function* unionOrders(
  collection: Collection,
  paths: readonly AccessPath[],
  seen: OrderSet,
): Generator<number | typeof PAUSE> {
  for (const path of paths) {
    if (path.kind === "union") yield* unionOrders(collection, path.plans, seen);
    else if (path.kind === "index") yield* newOnes(readIndex(path.plan), seen);
    else {
      for (const record of read(collection, path))
        if (record === PAUSE) yield PAUSE;
        else if (seen.add(record.order)) yield record.order;
    }
  }
}

function* newOnes(orders: Pausing<number>, seen: OrderSet): Generator<number | typeof PAUSE> {
  for (const order of orders) if (order === PAUSE || seen.add(order)) yield order;
}

function* readIndex(plan: IndexPlan, wanted = 0): Generator<number | typeof PAUSE> {
  const seen = plan.index.multikey ? new OrderSet() : undefined;
  for (const range of plan.ranges) {
    const orders = plan.index.scan(range, plan.backwards, wanted);
    yield* seen ? newOnes(orders, seen) : orders;
  }
}

interface Source {
  records: Pausing<StoredRecord>;
  /** Whether a newly read record matches. */
  matches: ((record: StoredRecord) => boolean) | undefined;
  /** Whether a record that matched before still matches. */
  stillMatches: (record: StoredRecord) => boolean;
  sorted: boolean;
  scores: TextScores | undefined;
}

function openSource(
  collection: Collection,
  path: AccessPath,
  filter: PlainObject,
  sort: readonly SortField[] | undefined,
  how: QueryOptions,
  wanted = 0,
): Source {
  const options = { variables: commandVariables(), collation: how.collation };
  if (path.kind === "text") {
    if (!collection.textIndex) throw new CommandError("IndexNotFound", "text index required for $text query");
    const { $text, ...rest } = filter;
    const scores: TextScores = new Map();
    const records = searchText(collection, collection.textIndex, $text, scores);
    const stillMatches = onceChanged(collection, rest, options);
    return { records, matches: matcher(collection, rest, options), stillMatches, sorted: false, scores };
  }
  const stillMatches = onceChanged(collection, filter, options);
  const sorted = isSorted(path, how.collation);
  const isCovered = path.kind === "index" && path.plan.covered;
  return {
    records: read(collection, path, sorted || !sort ? wanted : 0),
    matches: isCovered ? stillMatches : matcher(collection, filter, options),
    stillMatches,
    sorted,
    scores: undefined,
  };
}

/**
 * Validates a query on a collection that does not exist.
 * @throws {CommandError} if the filter or sort is invalid
 */
export function checkSelection({ filter, sort, hint }: Pick<Selection, "filter" | "sort" | "hint">): void {
  checkHint(hint);
  compileFilter(withoutText(filter));
  parseSort(sort);
}

/** The matching records. */
export function select(
  collection: Collection,
  { filter, sort, skip = 0, limit = 0, batchSize = 0, hint, collation }: Selection,
): Selected {
  const natural = naturalOrder(sort) ?? (sort === undefined ? naturalOrder(hint) : undefined);
  const fields = natural === undefined ? parseSort(sort) : undefined;
  const wanted = limit === 0 ? 0 : skip + limit;
  const how = { hint, collation };
  const path = accessPath(collection, filter, fields, how);
  if (natural === undefined && (!fields || isSorted(path, collation))) {
    const atOnce = readAtOnce(collection, path, filter, { skip, limit, batchSize, collation });
    if (atOnce) return { records: atOnce, textScores: undefined, lost: () => 0 };
  }
  const source = openSource(collection, path, filter, fields, how, natural === undefined ? wanted : 0);
  const { scores: textScores } = source;
  if (natural === undefined && (!fields || source.sorted))
    return { records: matching(source, skip, limit), textScores, lost: () => 0 };
  const sorting = fields
    ? sortedByFields(source, fields, wanted, collation)
    : sortedByOrder(source, natural!);
  let lost = 0;
  const records = function* (): Generator<StoredRecord | typeof PAUSE> {
    for (const order of page(yield* sorting, skip, limit)) {
      const record = collection.get(order);
      if (record && source.stillMatches(record)) yield record;
      else lost++;
      if (isPauseDue()) yield PAUSE;
    }
  };
  return { records: records(), textScores, lost: () => lost };
}

/** Reads the first batch if it is the last one, and an index has few documents for it. */
function readAtOnce(
  collection: Collection,
  path: AccessPath,
  filter: PlainObject,
  {
    skip,
    limit,
    batchSize,
    collation,
  }: Required<Pick<Selection, "skip" | "limit" | "batchSize">> & FilterOptions,
): readonly StoredRecord[] | undefined {
  const most = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  const records: StoredRecord[] = [];
  let [bytes, skipped] = [0, 0];
  /** @returns whether to read another one */
  const add = (record: StoredRecord | undefined): boolean => {
    if (!record) return true;
    bytes += record.data.length;
    if (skipped < skip) skipped++;
    else records.push(record);
    return records.length < most && bytes <= MAX_BYTES_AT_ONCE;
  };
  if (path.kind === "id") {
    if (path.ids.length > Math.min(batchSize, MAX_AT_ONCE)) return undefined;
    const matches = path.covered
      ? undefined
      : matcher(collection, filter, { variables: commandVariables(), collation });
    for (const id of path.ids) {
      const record = collection.find(id);
      if (record && matches?.(record) === false) continue;
      if (!add(record)) break;
    }
  } else {
    if (path.kind !== "index" || !path.plan.covered || path.plan.ranges.length !== 1) return undefined;
    if (most > batchSize || skip + most > MAX_AT_ONCE) return undefined;
    const { index, ranges, backwards } = path.plan;
    const readAll = () => {
      for (const order of index.first(ranges[0]!, backwards, skip + most))
        if (!add(collection.get(order))) break;
    };
    if (skip + most === 1) readAll();
    else collection.read(readAll);
  }
  return bytes > MAX_BYTES_AT_ONCE ? undefined : records;
}

function* sortedByOrder(source: Source, direction: number): Task<number[]> {
  return yield* sortAll(ordersOf(matching(source)), (a, b) => (a - b) * direction);
}

/** @param count the number of orders that the caller needs; 0: all */
function* sortedByFields(
  source: Source,
  fields: readonly SortField[],
  count: number,
  collation: Collation | undefined,
): Task<number[]> {
  const by = orderBy(fields, collation);
  const items = keyed(matching(source), fields, by, source.scores);
  const sorted = yield* count === 0 ? sortAll(items, by.compare) : sortFirst(items, count, by.compare);
  const orders: number[] = [];
  for (const { order } of sorted) {
    orders.push(order);
    if (isPauseDue(0.1)) yield PAUSE;
  }
  return orders;
}

function* ordersOf(records: Pausing<StoredRecord>): Generator<number | typeof PAUSE> {
  for (const record of records) yield record === PAUSE ? PAUSE : record.order;
}

/** The first matching record. There is no pause between the match and the return. */
export function* selectOne(
  collection: Collection,
  selection: Omit<Selection, "limit">,
): Task<StoredRecord | undefined> {
  for (;;) {
    const { records, lost } = select(collection, { ...selection, limit: 1, batchSize: 1 });
    for (const record of records) {
      if (record !== PAUSE) return record;
      yield PAUSE;
    }
    if (lost() === 0) return undefined;
  }
}

/**
 * The matching records, each at most once. Callers can change a record before they request the next one; it matches at that moment.
 */
export function* selectToChange(
  collection: Collection,
  selection: Selection,
): Generator<StoredRecord | typeof PAUSE> {
  let isOutdated = false;
  const orders: number[] = [];
  for (const record of select(collection, selection).records) {
    if (record !== PAUSE) orders.push(record.order);
    else isOutdated = (yield* pauseAndCompare(collection)) || isOutdated;
  }
  let test: ReturnType<typeof matcher>;
  for (const record of fetched(collection, orders, orders.length <= MAX_KEPT)) {
    if (record === PAUSE) {
      isOutdated = (yield* pauseAndCompare(collection)) || isOutdated;
      continue;
    }
    if (isOutdated) test ??= matcher(collection, withoutText(selection.filter), selection);
    if (test?.(record) ?? true) yield record;
  }
}

/** @returns whether anything changed during the pause */
function* pauseAndCompare(collection: Collection): Task<boolean> {
  const before = collection.changes;
  yield PAUSE;
  return collection.changes !== before;
}

function withoutText(filter: PlainObject): PlainObject {
  const { $text: _, ...rest } = filter;
  return rest;
}

/** Documents with their sort keys. Decodes only the sort fields. */
function* keyed(
  records: Pausing<StoredRecord>,
  fields: readonly SortField[],
  { keyOf }: Order,
  scores: TextScores | undefined,
): Generator<{ order: number; key: SortKey } | typeof PAUSE> {
  const wanted = packNames(fields.flatMap(({ path }) => path.slice(0, 1)));
  for (const record of records) {
    if (record === PAUSE) yield PAUSE;
    else {
      const { order, data } = record;
      yield { order, key: keyOf(decodeFields(data, wanted), scores?.get(order)) };
    }
  }
}

/** Counts the matching documents. */
export function* countMatches(collection: Collection, { filter, ...how }: Selection): Task<number> {
  const path = accessPath(collection, filter, undefined, how);
  if (path.kind === "scan" && Object.keys(filter).length === 0) return collection.count;
  let count = 0;
  if (path.kind === "index" && path.plan.covered) {
    const { index, ranges } = path.plan;
    for (const range of ranges) count += yield* index.count(range, collection.count);
    return count;
  }
  for (const record of matching(openSource(collection, path, filter, undefined, how))) {
    if (record === PAUSE) yield PAUSE;
    else count++;
  }
  return count;
}

function* matching(
  { records, matches }: Source,
  skip = 0,
  limit = 0,
): Generator<StoredRecord | typeof PAUSE> {
  let at = 0;
  for (const record of records) {
    if (record === PAUSE) yield PAUSE;
    else if (!matches || matches(record)) {
      if (at++ < skip) continue;
      yield record;
      if (at === skip + limit) return;
    }
  }
}

/** Tests records, and decodes only the fields that the filter needs. */
function matcher(
  collection: Collection,
  filter: PlainObject,
  options: FilterOptions,
): ((record: StoredRecord) => boolean) | undefined {
  if (Object.keys(filter).length === 0) return undefined;
  const test = compileFilter(filter, options);
  if (usesWholeDocument(filter)) return (record) => test(collection.document(record));
  const fields = packNames(filterFields(filter));
  return (record) => test(decodeFields(record.data, fields));
}

/** Like `matcher`, but tests documents only after changes, which can make earlier reads outdated. */
function onceChanged(
  collection: Collection,
  filter: PlainObject,
  options: FilterOptions,
): (record: StoredRecord) => boolean {
  const before = collection.changes;
  let test: ReturnType<typeof matcher>;
  return (record) => {
    if (collection.changes === before) return true;
    test ??= matcher(collection, filter, options);
    return test?.(record) ?? true;
  };
}

const page = <T>(items: readonly T[], skip: number, limit: number): readonly T[] =>
  skip === 0 && limit === 0 ? items : items.slice(skip, limit === 0 ? undefined : skip + limit);

/** Split into many sets, because growing one large JavaScript set takes longer than a command's time slice. */
const PARTS = 64;

/** A set of orders that can hold millions. */
class OrderSet {
  readonly #parts = Array.from({ length: PARTS }, () => new Set<number>());

  /** @returns false if it was already in the set */
  add(order: number): boolean {
    const part = this.#parts[order % PARTS]!;
    const { size } = part;
    return part.add(order).size > size;
  }
}
