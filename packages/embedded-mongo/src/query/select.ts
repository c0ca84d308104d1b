import { CommandError } from "../errors.ts";
import type { Collection } from "../storage/collection.ts";
import type { StoredRecord } from "../storage/record.ts";
import { decodeFields, packNames } from "../values/extract.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { readConstraints, type Constraints } from "./constraints.ts";
import { filterFields, usesWholeDocument } from "./filter-fields.ts";
import { compileFilter } from "./matcher.ts";
import { choosePlan, type IndexPlan } from "./planner.ts";
import { firstByKey, parseSort, sortByKey, type SortField, sortKey } from "./sort.ts";
import { searchText, type TextScores } from "./text-search.ts";

export interface Selection {
  readonly filter: PlainObject;
  readonly sort?: unknown;
  readonly skip?: number;
  /** 0 is no limit. */
  readonly limit?: number;
}

export type AccessPath =
  | { readonly kind: "id"; readonly ids: readonly string[] }
  | { readonly kind: "index"; readonly plan: IndexPlan }
  | { readonly kind: "union"; readonly plans: readonly AccessPath[] }
  | { readonly kind: "text" }
  | { readonly kind: "scan" };

export interface Selected {
  readonly records: StoredRecord[];
  readonly textScores: TextScores | undefined;
}

/** How the documents that a filter can match are found; `sort` lets an index give the order too. */
export function accessPath(
  collection: Collection,
  filter: PlainObject,
  sort: readonly SortField[] | undefined,
): AccessPath {
  if ("$text" in filter) return { kind: "text" };
  const constraints = readConstraints(filter);
  const id = constraints.fields.get("_id");
  if (id?.equal) return { kind: "id", ids: [id.equal.key] };
  const plan = choosePlan(collection.indexes, constraints, sort);
  if (plan?.sorted && plan.boundFields > 0) return { kind: "index", plan };
  if (id?.list && (!sort || !plan)) return { kind: "id", ids: id.list };
  if (plan) return { kind: "index", plan };
  return unionPath(collection, constraints) ?? idOrderPath(collection, constraints, sort) ?? { kind: "scan" };
}

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
  const plan = choosePlan([collection.idIndex()], constraints, sort);
  return plan && { kind: "index", plan };
}

const isSorted = (path: AccessPath): boolean =>
  (path.kind === "id" && path.ids.length === 1) || (path.kind === "index" && path.plan.sorted);

function* read(collection: Collection, path: AccessPath): Generator<StoredRecord> {
  switch (path.kind) {
    case "id":
      for (const id of path.ids) {
        const record = collection.get(id);
        if (record) yield record;
      }
      return;
    case "index":
      yield* readIndex(path.plan);
      return;
    case "union": {
      const found = new Set<StoredRecord>();
      for (const plan of path.plans) for (const record of read(collection, plan)) found.add(record);
      yield* [...found].sort((a, b) => a.order - b.order);
      return;
    }
    default:
      yield* collection.records();
  }
}

function* readIndex(plan: IndexPlan): Generator<StoredRecord> {
  const seen = plan.index.multikey ? new Set<StoredRecord>() : undefined;
  for (const range of plan.ranges) {
    for (const record of plan.index.scan(range, plan.backwards)) {
      if (seen?.has(record)) continue;
      seen?.add(record);
      yield record;
    }
  }
}

function textSource(collection: Collection, filter: PlainObject): { scores: TextScores; rest: PlainObject } {
  if (!collection.textIndex) throw new CommandError("IndexNotFound", "text index required for $text query");
  const { $text, ...rest } = filter;
  return { scores: searchText(collection.textIndex, $text, (record) => collection.document(record)), rest };
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
): Source {
  const path = accessPath(collection, filter, sort);
  if (path.kind === "text") {
    const { scores, rest } = textSource(collection, filter);
    return { records: scores.keys(), matches: matcher(collection, rest), sorted: false, scores };
  }
  const covered = path.kind === "index" && path.plan.covered;
  return {
    records: read(collection, path),
    matches: covered ? undefined : matcher(collection, filter),
    sorted: isSorted(path),
    scores: undefined,
  };
}

/**
 * Validates a query on a collection that does not exist.
 * @throws {CommandError} if the filter or sort is invalid
 */
export function checkSelection({ filter, sort }: Pick<Selection, "filter" | "sort">): void {
  const { $text: _, ...rest } = filter;
  compileFilter(rest);
  parseSort(sort);
}

/** The records that match, in order. The result does not change when documents do. */
export function select(collection: Collection, { filter, sort, skip = 0, limit = 0 }: Selection): Selected {
  const natural = isObject(sort) && "$natural" in sort ? Number(sort["$natural"]) : undefined;
  const fields = natural === undefined ? parseSort(sort) : undefined;
  const source = openSource(collection, filter, fields);
  if (natural !== undefined) {
    const all = [...matching(source)].sort((a, b) => (a.order - b.order) * natural);
    return { records: page(all, skip, limit), textScores: source.scores };
  }
  if (!fields || source.sorted) {
    const records: StoredRecord[] = [];
    let toSkip = skip;
    for (const record of matching(source)) {
      if (toSkip-- > 0) continue;
      records.push(record);
      if (records.length === limit) break;
    }
    return { records, textScores: source.scores };
  }
  const items = keyed(matching(source), fields, source.scores);
  const sorted = limit === 0 ? sortByKey([...items]) : firstByKey(items, skip + limit);
  return { records: page(sorted, skip, limit).map(({ record }) => record), textScores: source.scores };
}

/** Records with their sort keys; decodes only the fields to sort by. */
function* keyed(
  records: Iterable<StoredRecord>,
  fields: readonly SortField[],
  scores: TextScores | undefined,
): Generator<{ record: StoredRecord; key: string }> {
  const wanted = packNames(fields.flatMap(({ path }) => path.slice(0, 1)));
  for (const record of records)
    yield { record, key: sortKey(decodeFields(record.data, wanted), fields, scores?.get(record)) };
}

/** How many documents match, without keeping them. */
export function countMatches(collection: Collection, filter: PlainObject): number {
  if (Object.keys(filter).length === 0) return collection.count;
  let count = 0;
  for (const _record of matching(openSource(collection, filter, undefined))) count++;
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

const page = <T>(items: T[], skip: number, limit: number): T[] =>
  skip === 0 && limit === 0 ? items : items.slice(skip, limit === 0 ? undefined : skip + limit);
