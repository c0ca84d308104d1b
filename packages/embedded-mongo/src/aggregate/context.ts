import { Context } from "mingo";
import { Lazy } from "mingo/lazy";
import * as accumulator from "mingo/operators/accumulator";
import * as expression from "mingo/operators/expression";
import * as pipeline from "mingo/operators/pipeline";
import * as projection from "mingo/operators/projection";
import * as query from "mingo/operators/query";
import * as window from "mingo/operators/window";
import { compileFilter } from "../query/matcher.ts";
import { parseSort, sortByKey, sortKey } from "../query/sort.ts";
import type { Catalog } from "../storage/catalog.ts";
import type { PlainObject } from "../values/types.ts";
import { bucketStages } from "./bucket.ts";
import { lookup } from "./lookup.ts";
import type { PipelineMemory } from "./memory-limit.ts";

export type Stream = ReturnType<typeof Lazy>;
/** Options that mingo hands from stage to stage: variables, the context. */
export type StageOptions = Parameters<typeof pipeline.$match>[2];

const documentsOf = (stream: unknown): PlainObject[] => stream as PlainObject[];

const usesExpression = (filter: unknown): boolean =>
  typeof filter === "object" &&
  filter !== null &&
  Object.entries(filter).some(([key, value]) => key === "$expr" || usesExpression(value));

/** `$match` and `$sort` agree with `find` on types, nulls and arrays; expressions may use variables, so mingo has them. */
const $match = (stream: Stream, filter: PlainObject, options: StageOptions): Stream => {
  if (usesExpression(filter)) return pipeline.$match(stream, filter, options);
  const test = compileFilter(filter);
  return stream.filter((document: PlainObject) => test(document));
};

const $sort = (stream: Stream, order: PlainObject): Stream => {
  const fields = parseSort(order) ?? [];
  return stream.transform((documents) => {
    const keyed = documentsOf(documents).map((document) => ({ document, key: sortKey(document, fields) }));
    return Lazy(sortByKey(keyed).map(({ document }) => document));
  });
};

/** Unlike mingo, gives no document when there is nothing to count. */
const $count = (stream: Stream, name: string): Stream =>
  stream.transform((documents) => {
    const { length } = documentsOf(documents);
    return Lazy(length === 0 ? [] : [{ [name]: length }]);
  });

const $bucket = (stream: Stream, bucket: PlainObject, options: StageOptions): Stream => {
  const { group, sort } = bucketStages(bucket);
  return $sort(pipeline.$group(stream, group as Parameters<typeof pipeline.$group>[1], options), sort);
};

/** The operators of mingo, with those replaced that differ from MongoDB or that can use our indexes. */
export function aggregationContext(catalog: Catalog, db: string, memory: PipelineMemory): Context {
  const $lookup = (stream: Stream, specification: PlainObject, options: StageOptions): Stream =>
    stream.map((document: PlainObject) => lookup({ catalog, db, memory }, specification, document, options));
  return Context.init({
    accumulator,
    expression,
    pipeline: { ...pipeline, $match, $sort, $count, $bucket, $lookup },
    projection,
    query,
    window,
  } as unknown as Parameters<typeof Context.init>[0]);
}
