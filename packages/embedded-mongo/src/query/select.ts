import { checkTimeLimit } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { findSpec } from "../index/spec.ts";
import type { Collection } from "../storage/collection.ts";
import type { StoredRecord } from "../storage/database.ts";
import { decodeFields, packNames } from "../values/extract.ts";
import { integerOption } from "../values/numbers.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { readConstraints, type Constraints } from "./constraints.ts";
import { filterFields, usesWholeDocument } from "./filter-fields.ts";
import { compileFilter } from "./matcher.ts";
import { choosePlan, type IndexPlan, planHinted } from "./planner.ts";
import { firstByKey, parseSort, sortByKey, type SortField, sortKey } from "./sort.ts";
import { searchText, type TextScores } from "./text-search.ts";

export interface Selection {
  readonly filter: PlainObject;
  readonly sort?: unknown;
  readonly skip?: number;
  /** 0 is no limit. */
  readonly limit?: number;
  /** The name or key pattern of the index to read, or {$natural: 1 | -1} for none. */
  readonly hint?: unknown;
}

export type AccessPath =
  | { readonly kind: "id"; readonly ids: readonly string[] }
  | { readonly kind: "index"; readonly plan: IndexPlan }
  | { readonly kind: "union"; readonly plans: readonly AccessPath[] }
  | { readonly kind: "text" }
  | { readonly kind: "scan" };

export interface Selected {
  /**
   * In order, and read lazily. If a document changes meanwhile, it can be returned as it is now, skipped, or returned twice, as
   * in MongoDB.
   */
  readonly records: Iterable<StoredRecord>;
  readonly textScores: TextScores | undefined;
}

/**
 * How the documents that a filter can match are found; `sort` lets an index give the order too.
 * @throws {CommandError} BadValue if there is no such index as the hint
 */
export function accessPath(
  collection: Collection,
  filter: PlainObject,
  sort: readonly SortField[] | undefined,
  hint?: unknown,
): AccessPath {
  const isHinted = checkHint(hint);
  if ("$text" in filter) {
    if (isHinted) throw new CommandError("BadValue", "Text and hint not allowed in same query");
    return { kind: "text" };
  }
  const constraints = readConstraints(filter);
  if (isHinted) return hintedPath(collection, hint, constraints, sort);
  const id = constraints.fields.get("_id");
  if (id?.equal) return { kind: "id", ids: [id.equal.key] };
  const plan = choosePlan(collection.indexes, constraints, sort);
  if (plan?.sorted && plan.boundFields > 0) return { kind: "index", plan };
  if (id?.list && (!sort || !plan)) return { kind: "id", ids: id.list };
  if (plan) return { kind: "index", plan };
  return unionPath(collection, constraints) ?? idOrderPath(collection, constraints, sort) ?? { kind: "scan" };
}

/** @returns whether there is one */
function checkHint(hint: unknown): hint is string | PlainObject {
  if (hint === undefined || (isObject(hint) && Object.keys(hint).length === 0)) return false;
  if (typeof hint === "string" || isObject(hint)) return true;
  throw new CommandError("FailedToParse", "hint must be either a string or nested object");
}

function hintedPath(
  collection: Collection,
  hint: string | PlainObject,
  constraints: Constraints,
  sort: readonly SortField[] | undefined,
): AccessPath {
  if (naturalOrder(hint) !== undefined) return { kind: "scan" };
  const spec = findSpec(collection.specs, hint);
  const index = [collection.idIndex, ...collection.indexes].find((candidate) => candidate.spec === spec);
  if (!index || index.spec.hidden)
    throw new CommandError("BadValue", "hint provided does not correspond to an existing index");
  return { kind: "index", plan: planHinted(index, constraints, sort) };
}

/** Of a sort or a hint. */
const naturalOrder = (order: unknown): number | undefined =>
  isObject(order) && "$natural" in order ? integerOption(order["$natural"], "$natural", 1) : undefined;

function unionPath(collection: Collection, { anyOf }: Constraints): AccessPath | undefined {
  if (!anyOf) return undefined;
  const plans = anyOf.map((branch) => accessPath(collection, branch, undefined));
  return plans.every(({ kind }) => kind === "id" || kind === "index" || kind === "union")
    ? { kind: "union", plans }
    : undefined;
}

/** Ranges and orders of `_id` itself. */
function idOrderPath(
  collection: Collection,
  constraints: Constraints,
  sort: readonly SortField[] | undefined,
): AccessPath | undefined {
  if (!constraints.fields.get("_id")?.low && sort?.[0]?.field !== "_id") return undefined;
  const plan = choosePlan([collection.idIndex], constraints, sort);
  return plan && { kind: "index", plan };
}

const isSorted = (path: AccessPath): boolean =>
  (path.kind === "id" && path.ids.length === 1) || (path.kind === "index" && path.plan.sorted);

/** @param wanted the number of records that the caller needs, if known */
function* read(collection: Collection, path: AccessPath, wanted = 0): Generator<StoredRecord> {
  switch (path.kind) {
    case "id":
      for (const id of path.ids) {
        const record = collection.find(id);
        if (record) yield record;
      }
      return;
    case "index":
      yield* fetched(collection, readIndex(path.plan, wanted));
      return;
    case "union":
      yield* fetched(
        collection,
        [...unionOrders(collection, path.plans)].sort((a, b) => a - b),
      );
      return;
    default:
      yield* collection.records();
  }
}

function* fetched(collection: Collection, orders: Iterable<number>): Generator<StoredRecord> {
  for (const order of orders) {
    const record = collection.get(order);
    if (record) yield record;
  }
}

function unionOrders(collection: Collection, paths: readonly AccessPath[]): Set<number> {
  const found = new Set<number>();
  for (const path of paths) {
    if (path.kind === "index") for (const order of readIndex(path.plan)) found.add(order);
    else if (path.kind === "union") for (const order of unionOrders(collection, path.plans)) found.add(order);
    else for (const { order } of read(collection, path)) found.add(order);
  }
  return found;
}

function* readIndex(plan: IndexPlan, wanted = 0): Generator<number> {
  const seen = plan.index.multikey ? new Set<number>() : undefined;
  for (const range of plan.ranges) {
    for (const order of plan.index.scan(range, plan.backwards, wanted)) {
      checkTimeLimit();
      if (seen?.has(order)) continue;
      seen?.add(order);
      yield order;
    }
  }
}

function textSource(collection: Collection, filter: PlainObject): { scores: TextScores; rest: PlainObject } {
  if (!collection.textIndex) throw new CommandError("IndexNotFound", "text index required for $text query");
  const { $text, ...rest } = filter;
  return { scores: searchText(collection, collection.textIndex, $text), rest };
}

interface Source {
  records: Iterable<StoredRecord>;
  matches: ((record: StoredRecord) => boolean) | undefined;
  sorted: boolean;
  scores: TextScores | undefined;
}

function openSource(
  collection: Collection,
  filter: PlainObject,
  sort: readonly SortField[] | undefined,
  hint: unknown,
  wanted = 0,
): Source {
  const path = accessPath(collection, filter, sort, hint);
  if (path.kind === "text") {
    const { scores, rest } = textSource(collection, filter);
    const records = fetched(collection, scores.keys());
    return { records, matches: matcher(collection, rest), sorted: false, scores };
  }
  const isCovered = path.kind === "index" && path.plan.covered;
  return {
    records: read(collection, path, isSorted(path) || !sort ? wanted : 0),
    matches: isCovered ? matcherOnceChanged(collection, filter) : matcher(collection, filter),
    sorted: isSorted(path),
    scores: undefined,
  };
}

/**
 * Validates a query on a collection that does not exist.
 * @throws {CommandError} if the filter or sort is invalid
 */
export function checkSelection({ filter, sort, hint }: Pick<Selection, "filter" | "sort" | "hint">): void {
  checkHint(hint);
  const { $text: _, ...rest } = filter;
  compileFilter(rest);
  parseSort(sort);
}

/** The records that match. */
export function select(
  collection: Collection,
  { filter, sort, skip = 0, limit = 0, hint }: Selection,
): Selected {
  const natural = naturalOrder(sort) ?? (sort === undefined ? naturalOrder(hint) : undefined);
  const fields = natural === undefined ? parseSort(sort) : undefined;
  const wanted = limit === 0 ? 0 : skip + limit;
  const source = openSource(collection, filter, fields, hint, natural === undefined ? wanted : 0);
  const { scores: textScores } = source;
  if (natural !== undefined) {
    const orders = Array.from(matching(source), ({ order }) => order).sort((a, b) => (a - b) * natural);
    return { records: fetched(collection, page(orders, skip, limit)), textScores };
  }
  if (!fields || source.sorted) return { records: pageOf(matching(source), skip, limit), textScores };
  const items = keyed(matching(source), fields, textScores);
  const sorted = limit === 0 ? sortByKey([...items]) : firstByKey(items, skip + limit);
  const orders = page(sorted, skip, limit).map(({ order }) => order);
  return { records: fetched(collection, orders), textScores };
}

/** The first record that matches. */
export function selectOne(
  collection: Collection,
  selection: Omit<Selection, "limit">,
): StoredRecord | undefined {
  for (const record of select(collection, { ...selection, limit: 1 }).records) return record;
  return undefined;
}

/** The records that match now. Callers can change each of them while they iterate. */
export function selectToChange(collection: Collection, selection: Selection): Iterable<StoredRecord> {
  const { records } = select(collection, selection);
  return fetched(
    collection,
    Array.from(records, ({ order }) => order),
  );
}

/** Documents with their sort keys; decodes only the fields to sort by. */
function* keyed(
  records: Iterable<StoredRecord>,
  fields: readonly SortField[],
  scores: TextScores | undefined,
): Generator<{ order: number; key: string }> {
  const wanted = packNames(fields.flatMap(({ path }) => path.slice(0, 1)));
  for (const { order, data } of records)
    yield { order, key: sortKey(decodeFields(data, wanted), fields, scores?.get(order)) };
}

/** How many documents match, without keeping them. */
export function countMatches(collection: Collection, { filter, hint }: Selection): number {
  const path = accessPath(collection, filter, undefined, hint);
  if (path.kind === "scan" && Object.keys(filter).length === 0) return collection.count;
  if (path.kind === "index" && path.plan.covered) {
    const { index, ranges } = path.plan;
    return ranges.reduce((sum, range) => sum + index.count(range), 0);
  }
  let count = 0;
  for (const _record of matching(openSource(collection, filter, undefined, hint))) count++;
  return count;
}

function* matching({ records, matches }: Source): Generator<StoredRecord> {
  if (!matches) {
    yield* records;
    return;
  }
  for (const record of records) if (matches(record)) yield record;
}

/** Tests records, reading no more of the documents than the filter looks at. */
function matcher(
  collection: Collection,
  filter: PlainObject,
): ((record: StoredRecord) => boolean) | undefined {
  if (Object.keys(filter).length === 0) return undefined;
  const test = compileFilter(filter);
  if (usesWholeDocument(filter)) return (record) => test(collection.document(record));
  const fields = packNames(filterFields(filter));
  return (record) => test(decodeFields(record.data, fields));
}

/** Like `matcher`, but only tests documents after something has changed: index entries read before a change can be outdated. */
function matcherOnceChanged(collection: Collection, filter: PlainObject): (record: StoredRecord) => boolean {
  const before = collection.changes;
  let test: ReturnType<typeof matcher>;
  return (record) => {
    if (collection.changes === before) return true;
    test ??= matcher(collection, filter);
    return test?.(record) ?? true;
  };
}

function* pageOf<T>(items: Iterable<T>, skip: number, limit: number): Generator<T> {
  let at = 0;
  for (const item of items) {
    if (at++ < skip) continue;
    yield item;
    if (at === skip + limit) return;
  }
}

const page = <T>(items: T[], skip: number, limit: number): T[] =>
  skip === 0 && limit === 0 ? items : items.slice(skip, limit === 0 ? undefined : skip + limit);
