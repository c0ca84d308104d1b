import { commandVariables, isPauseDue, PAUSE, type Pausing, type Task } from "../command-scope.ts";
import { asCommandError, CommandError } from "../errors.ts";
import { checkSelection, countMatches, type QueryOptions, select, type Selection } from "../query/select.ts";
import type { Catalog } from "../storage/catalog.ts";
import type { Collection } from "../storage/collection.ts";
import type { StoredRecord } from "../storage/database.ts";
import { encode, pack, type PackedDocument } from "../values/codec.ts";
import { isNumeric, toDouble } from "../values/numbers.ts";
import { toComputed } from "../values/plain.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { aggregationContext } from "./context.ts";
import { PipelineMemory } from "./memory-limit.ts";
import {
  checkSort,
  compilePipeline,
  type Documents,
  type Environment,
  limitOf,
  readDocuments,
  skipOf,
} from "./pipeline.ts";
import { writeMerge, writeOut } from "./write-stages.ts";

const REJECTED = new Set([
  "$search",
  "$searchMeta",
  "$vectorSearch",
  "$geoNear",
  "$currentOp",
  "$listSessions",
  "$planCacheStats",
]);

function checkStages(pipeline: readonly unknown[]): asserts pipeline is PlainObject[] {
  for (const [i, stage] of pipeline.entries()) {
    const names = isObject(stage) ? Object.keys(stage) : [];
    const [name] = names;
    if (name === undefined || names.length !== 1) {
      throw new CommandError(
        "Location40323",
        "A pipeline stage specification object must contain exactly one field.",
      );
    }
    if (name === "$changeStream") {
      throw new CommandError("Location40573", "The $changeStream stage is only supported on replica sets");
    }
    if ((name === "$out" || name === "$merge") && i !== pipeline.length - 1) {
      throw new CommandError("Location40601", `${name} can only be the final stage in the pipeline`);
    }
    if (REJECTED.has(name))
      throw new CommandError("Location40324", `The embedded database has no stage ${name}`);
  }
}

/** Extracts the leading stages that a query can perform with indexes. */
function leadingSelection(
  pipeline: readonly PlainObject[],
  how: QueryOptions,
): { selection: Selection; rest: PlainObject[] } {
  const rest = [...pipeline];
  let filter: PlainObject = {};
  const take = (name: string): unknown => (rest[0] && name in rest[0] ? rest.shift()![name] : undefined);
  const match = take("$match");
  if (match !== undefined) {
    if (!isObject(match))
      throw new CommandError("BadValue", "the match filter must be an expression in an object");
    filter = match;
  }
  const sort = take("$sort");
  checkSort(sort);
  const skip = skipOf(take("$skip"));
  const limitStage = take("$limit");
  const limit = limitStage === undefined ? 0 : limitOf(limitStage);
  return { selection: { filter, ...(sort !== undefined && { sort }), skip, limit, ...how }, rest };
}

/** `countDocuments` of the drivers: {$group: {_id: 1, n: {$sum: 1}}}. */
function isCount(rest: readonly PlainObject[], { sort, skip, limit }: Selection): boolean {
  const group = rest.length === 1 ? rest[0]!["$group"] : undefined;
  if (!isObject(group) || sort !== undefined || Object.keys(group).join() !== "_id,n") return false;
  const sum = isObject(group["n"]) ? group["n"]["$sum"] : undefined;
  return isNumeric(group["_id"]) && toDouble(sum) === 1 && !skip && !limit;
}

/**
 * Runs a pipeline. Stages after the leading `$match`, `$sort`, `$skip` and `$limit` are computed by mingo.
 * @param name undefined for a pipeline on the database itself
 * @throws CommandError
 */
export function* runAggregate(
  catalog: Catalog,
  db: string,
  name: string | undefined,
  stages: readonly unknown[],
  how: QueryOptions,
): Task<Pausing<PackedDocument>> {
  checkStages(stages);
  const last = stages.at(-1);
  const writer = last && ("$out" in last || "$merge" in last) ? last : undefined;
  const collection = name === undefined ? undefined : catalog.find(db, name);
  const { selection, rest } = leadingSelection(writer ? stages.slice(0, -1) : stages, how);
  const memory = new PipelineMemory();
  const computed = compute({ catalog, db, memory }, collection, selection, rest);
  if (!writer) return computed;
  if ("$out" in writer) yield* writeOut(catalog, db, writer["$out"], computed);
  else yield* writeMerge(catalog, db, writer["$merge"], computed, memory);
  return [];
}

function compute(
  source: Omit<Environment, "options">,
  collection: Collection | undefined,
  selection: Selection,
  rest: readonly PlainObject[],
): Pausing<PackedDocument> {
  if (!collection) checkSelection(selection);
  if (collection && rest.length === 0) return dataOf(select(collection, selection).records);
  if (isCount(rest, selection)) return counted(collection, selection);
  const { collation } = selection;
  const options = {
    context: aggregationContext,
    variables: commandVariables(),
    ...(collation && { collation }),
  };
  try {
    const pipeline = compilePipeline(toComputed(rest) as PlainObject[], { ...source, options });
    return encoded(pipeline(readDocuments(collection, selection)));
  } catch (error) {
    throw pipelineError(error);
  }
}

function* dataOf(records: Pausing<StoredRecord>): Generator<PackedDocument | typeof PAUSE> {
  for (const record of records) yield record === PAUSE ? PAUSE : record.data;
}

function* counted(
  collection: Collection | undefined,
  selection: Selection,
): Generator<PackedDocument | typeof PAUSE> {
  const n = collection ? yield* countMatches(collection, selection) : 0;
  if (n > 0) yield pack(encode({ _id: 1, n }));
}

function* encoded(documents: Documents): Generator<PackedDocument | typeof PAUSE> {
  try {
    for (const document of documents) {
      if (document === PAUSE) yield PAUSE;
      else {
        yield pack(encode(document));
        if (isPauseDue()) yield PAUSE;
      }
    }
  } catch (error) {
    throw pipelineError(error);
  }
}

/** Converts errors of mingo to command errors. */
function pipelineError(error: unknown): unknown {
  if (asCommandError(error)) return error;
  const { message } = error as Error;
  const unknown = /unregistered pipeline operator (\S+?)\.?$/.exec(message);
  return new CommandError(
    "Location40324",
    unknown ? `Unrecognized pipeline stage name: '${unknown[1]}'` : message,
  );
}
