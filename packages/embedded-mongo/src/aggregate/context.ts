import { Context, evalExpr } from "mingo/core";
import { Lazy } from "mingo/lazy";
import * as pipeline from "mingo/operators/pipeline";
import * as window from "mingo/operators/window";
import { operators } from "../expression/context.ts";
import { Distinct } from "../expression/distinct.ts";
import { CommandError } from "../errors.ts";
import { compileFilter } from "../query/matcher.ts";
import { parseSort, sortByKey, sortKey } from "../query/sort.ts";
import type { Catalog } from "../storage/catalog.ts";
import { integerOption } from "../values/numbers.ts";
import { toPlain } from "../values/plain.ts";
import type { PlainObject } from "../values/types.ts";
import { bucketStages } from "./bucket.ts";
import { lookup } from "./lookup.ts";
import type { PipelineMemory } from "./memory-limit.ts";

export type Stream = ReturnType<typeof Lazy>;
/** Options that mingo hands from stage to stage: variables, the context. */
export type StageOptions = Parameters<typeof pipeline.$match>[2];

const documentsOf = (stream: unknown): PlainObject[] => stream as PlainObject[];

/** The variables of the command and of the enclosing `$lookup`. */
const variablesOf = ({ variables }: StageOptions): PlainObject => variables ?? {};

/** Agrees with `find` on types, nulls and arrays. */
const $match = (stream: Stream, filter: PlainObject, options: StageOptions): Stream => {
  const test = compileFilter(filter, variablesOf(options));
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

/** The internal expression of {@link $group}. */
const GROUP_ID = "$fanfareGroupId";

function groupId(
  document: unknown,
  { id, ids }: { id: unknown; ids: unknown },
  options: StageOptions,
): unknown {
  if (!(ids instanceof Distinct))
    throw new CommandError("InvalidPipelineOperator", `Unrecognized expression '${GROUP_ID}'`);
  return ids.add(evalExpr(document, id, options) ?? null);
}

/** The groups of mingo, with ids that are equal as MongoDB defines it: 1 and 1.0 are one group, and each decimal has its own. */
const $group = (stream: Stream, group: PlainObject, options: StageOptions): Stream => {
  if (!("_id" in group)) throw new CommandError("Location15955", "a group specification must include an _id");
  const _id = { [GROUP_ID]: { id: group["_id"], ids: new Distinct() } };
  return pipeline.$group(stream, { ...group, _id }, options);
};

const $bucket = (stream: Stream, bucket: PlainObject, options: StageOptions): Stream => {
  const { group, sort } = bucketStages(bucket);
  return $sort($group(stream, group, options), sort);
};

const $sortByCount = (stream: Stream, id: unknown, options: StageOptions): Stream =>
  $sort($group(stream, { _id: id, count: { $sum: 1 } }, options), { count: -1 });

const $limit = (stream: Stream, count: unknown): Stream => stream.take(integerOption(count, "$limit", 0));

const $skip = (stream: Stream, count: unknown): Stream => stream.drop(integerOption(count, "$skip", 0));

const $sample = (stream: Stream, sample: PlainObject): Stream =>
  stream.transform((documents) => {
    const left = [...documentsOf(documents)];
    const count = Math.min(integerOption(sample["size"], "size", 0), left.length);
    return Lazy(
      Array.from({ length: count }, () => left.splice(Math.floor(Math.random() * left.length), 1)[0]!),
    );
  });

type Stage = (stream: Stream, specification: never, options: StageOptions) => Stream;

/** A stage of mingo that computes in doubles, and gives back ints and doubles without their type. */
const inDoubles =
  (stage: Stage): Stage =>
  (stream, specification, options) =>
    stage(
      stream.map((document: PlainObject) => toPlain(document) as PlainObject),
      toPlain(specification) as never,
      options,
    );

/** The operators of mingo, with those replaced that differ from MongoDB or that can use our indexes. */
export function aggregationContext(catalog: Catalog, db: string, memory: PipelineMemory): Context {
  const $lookup = (stream: Stream, specification: PlainObject, options: StageOptions): Stream =>
    stream.map((document: PlainObject) => lookup({ catalog, db, memory }, specification, document, options));
  return Context.init({
    ...operators,
    expression: { ...operators.expression, [GROUP_ID]: groupId },
    pipeline: {
      ...operators.pipeline,
      $bucket,
      $bucketAuto: inDoubles(pipeline.$bucketAuto),
      $count,
      $densify: inDoubles(pipeline.$densify),
      $fill: inDoubles(pipeline.$fill),
      $group,
      $limit,
      $lookup,
      $match,
      $sample,
      $setWindowFields: inDoubles(pipeline.$setWindowFields),
      $skip,
      $sort,
      $sortByCount,
    },
    window,
  } as unknown as Parameters<typeof Context.init>[0]);
}
