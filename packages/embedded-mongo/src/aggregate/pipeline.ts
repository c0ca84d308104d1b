import { Aggregator } from "mingo/aggregator";
import { isPauseDue, PAUSE, type Pausing } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { orderBy, parseSort, sortAll } from "../query/sort.ts";
import type { Catalog } from "../storage/catalog.ts";
import type { Collection } from "../storage/collection.ts";
import { select, type Selection } from "../query/select.ts";
import { decodeExact, unpack } from "../values/codec.ts";
import { integerOption } from "../values/numbers.ts";
import { cloneValue, toComputed } from "../values/plain.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { expressionOptions, type PipelineOptions } from "./context.ts";
import { graphLookup, lookup } from "./lookup.ts";
import { group } from "./group.ts";
import type { PipelineMemory } from "./memory-limit.ts";

/** Translates `$bucket` to the equivalent `$group` and `$sort`. */
function bucketStages({ groupBy, boundaries, default: other, output }: PlainObject): {
  group: PlainObject;
  sort: PlainObject;
} {
  if (groupBy === undefined || !Array.isArray(boundaries) || boundaries.length < 2) {
    throw new CommandError("FailedToParse", "$bucket needs groupBy and at least two boundaries");
  }
  const branches = boundaries.slice(0, -1).map((low: unknown, i) => ({
    case: { $and: [{ $gte: [groupBy, low] }, { $lt: [groupBy, boundaries[i + 1]] }] },
    // oxlint-disable-next-line unicorn/no-thenable -- the name is MongoDB's
    then: { $literal: low },
  }));
  const $switch = other === undefined ? { branches } : { branches, default: { $literal: other } };
  return {
    group: { _id: { $switch }, ...(isObject(output) ? output : { count: { $sum: 1 } }) },
    sort: { _id: 1 },
  };
}

export type Documents = Pausing<PlainObject>;
export type Stage = (input: Documents) => Documents;

/** The context of the stages of a pipeline. */
export interface Environment {
  readonly catalog: Catalog;
  readonly db: string;
  readonly memory: PipelineMemory;
  readonly options: PipelineOptions;
}

/** Streaming stages of mingo. All others, except those of `STAGES`, need all documents together. */
const STREAMED = new Set([
  "$addFields",
  "$match",
  "$project",
  "$redact",
  "$replaceRoot",
  "$replaceWith",
  "$set",
  "$unset",
  "$unwind",
]);

const STAGES: Readonly<Record<string, (specification: never, environment: Environment) => Stage>> = {
  $bucket,
  $count,
  $facet,
  $graphLookup: graphLookup,
  $group: group,
  $limit,
  $lookup,
  $skip,
  $sort,
  $sortByCount,
  $unionWith,
};

/**
 * Compiles the stages, which compute documents lazily.
 * @throws CommandError, or the error of mingo
 */
export function compilePipeline(stages: readonly PlainObject[], environment: Environment): Stage {
  const compiled: Stage[] = [];
  let streamed: PlainObject[] = [];
  const finishStreamed = () => {
    if (streamed.length > 0) compiled.push(stream(streamed, environment));
    streamed = [];
  };
  for (const stage of stages) {
    const [name = ""] = Object.keys(stage);
    if (STREAMED.has(name)) {
      streamed.push(stage);
      continue;
    }
    finishStreamed();
    const own = Object.hasOwn(STAGES, name) ? STAGES[name] : undefined;
    compiled.push(own ? own(stage[name] as never, environment) : atOnce(stage, environment));
  }
  finishStreamed();
  return (input) => compiled.reduce((documents, stage) => stage(documents), input);
}

/** The decoded documents of a selection. */
export function* readDocuments(
  collection: Collection | undefined,
  selection: Selection,
): Generator<PlainObject | typeof PAUSE> {
  if (!collection) return;
  for (const record of select(collection, selection).records)
    yield record === PAUSE ? PAUSE : (toComputed(decodeExact(unpack(record.data))) as PlainObject);
}

/** Runs stages of mingo on one document at a time. */
function stream(stages: PlainObject[], { options }: Environment): Stage {
  let next: PlainObject | undefined;
  const output = new Aggregator(stages, options).stream(() => {
    const value = next;
    next = undefined;
    return { value, done: value === undefined };
  });
  return function* (input) {
    for (const document of input) {
      if (document === PAUSE) {
        yield PAUSE;
        continue;
      }
      next = document;
      for (let result = output.next(); !result.done; result = output.next())
        yield result.value as PlainObject;
      if (isPauseDue(stages.length * 4)) yield PAUSE;
    }
  };
}

/** Runs a stage of mingo on all documents. It doesn't pause. */
function atOnce(stage: PlainObject, { memory, options }: Environment): Stage {
  const aggregator = new Aggregator([stage], options);
  // Only to check that the stage exists.
  aggregator.stream([]);
  return function* (input) {
    yield* aggregator.run<PlainObject>(yield* memory.collect(input));
  };
}

/** @throws CommandError if the order of a stage is empty */
export function checkSort(order: unknown): void {
  if (isObject(order) && Object.keys(order).length === 0)
    throw new CommandError("Location15976", "$sort stage must have at least one sort key");
}

/** @throws CommandError unless the count of a stage is positive */
export function limitOf(count: unknown): number {
  const limit = integerOption(count, "$limit", 0);
  if (limit <= 0) throw new CommandError("Location15958", "the limit must be positive");
  return limit;
}

/** @throws CommandError if the count of a stage is negative */
export function skipOf(count: unknown): number {
  const skip = integerOption(count, "$skip", 0);
  if (skip < 0)
    throw new CommandError("Location5107200", "invalid argument to $skip stage: it must not be negative");
  return skip;
}

function $sort(order: PlainObject, { memory, options }: Environment): Stage {
  checkSort(order);
  const { keyOf, compare } = orderBy(parseSort(order) ?? [], options.collation);
  const keyed = function* (input: Documents) {
    for (const document of input) {
      if (document === PAUSE) yield PAUSE;
      else {
        const key = keyOf(document);
        memory.keep([document, key]);
        yield { document, key };
      }
    }
  };
  return function* (input) {
    for (const { document } of yield* sortAll(keyed(input), compare)) yield document;
  };
}

/** Returns no document if there is nothing to count. */
function $count(name: unknown): Stage {
  if (typeof name !== "string" || name === "" || name.startsWith("$") || name.includes("."))
    throw new CommandError("Location40156", "the count field must be a non-empty string without '$' and '.'");
  return function* (input) {
    let count = 0;
    for (const document of input) {
      if (document === PAUSE) yield PAUSE;
      else count++;
    }
    if (count > 0) yield { [name]: count };
  };
}

function $bucket(bucket: PlainObject, environment: Environment): Stage {
  const stages = bucketStages(bucket);
  return compilePipeline([{ $group: stages.group }, { $sort: stages.sort }], environment);
}

function $sortByCount(_id: unknown, environment: Environment): Stage {
  const stages = [{ $group: { _id, count: { $sum: 1 } } }, { $sort: { count: -1 } }];
  return compilePipeline(stages, environment);
}

function $limit(count: unknown): Stage {
  const limit = limitOf(count);
  return function* (input) {
    let left = limit;
    for (const document of input) {
      yield document;
      if (document !== PAUSE && --left === 0) return;
    }
  };
}

function $skip(count: unknown): Stage {
  const skip = skipOf(count);
  return function* (input) {
    let left = skip;
    for (const document of input) if (document === PAUSE || left-- <= 0) yield document;
  };
}

function $lookup(specification: PlainObject, environment: Environment): Stage {
  const expressions = expressionOptions(environment.options);
  return function* (input) {
    for (const document of input)
      if (document === PAUSE) yield PAUSE;
      else yield* lookup(environment, expressions, specification, document);
  };
}

function $facet(facets: PlainObject, environment: Environment): Stage {
  const stages = Object.entries(facets).map(
    ([name, pipeline]) => [name, compilePipeline(pipeline as PlainObject[], environment)] as const,
  );
  return function* (input) {
    const { memory } = environment;
    const documents = yield* memory.collect(input);
    const result: PlainObject = {};
    for (const [name, stage] of stages) result[name] = yield* memory.collect(stage(copies(documents)));
    yield result;
  };
}

function* copies(documents: readonly PlainObject[]): Generator<PlainObject | typeof PAUSE> {
  for (const document of documents) {
    yield cloneValue(document);
    if (isPauseDue(4)) yield PAUSE;
  }
}

function $unionWith(given: unknown, environment: Environment): Stage {
  const { coll, pipeline = [] } = isObject(given) ? given : { coll: given };
  if (!Array.isArray(pipeline) || (coll === undefined ? pipeline.length === 0 : typeof coll !== "string"))
    throw new CommandError("FailedToParse", "$unionWith needs the string 'coll' or the array 'pipeline'");
  const stage = compilePipeline(pipeline as PlainObject[], environment);
  return function* (input) {
    yield* input;
    const { catalog, db } = environment;
    yield* stage(
      readDocuments(coll === undefined ? undefined : catalog.find(db, coll as string), { filter: {} }),
    );
  };
}
