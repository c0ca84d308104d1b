import { Aggregator } from "mingo/aggregator";
import { evalExpr } from "mingo/core";
import { CommandError } from "../errors.ts";
import { select } from "../query/select.ts";
import type { Catalog } from "../storage/catalog.ts";
import { collectValues, splitPath } from "../values/path.ts";
import { setField } from "../values/plain.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import type { StageOptions } from "./context.ts";
import type { PipelineMemory } from "./memory-limit.ts";

interface LookupSource {
  readonly catalog: Catalog;
  readonly db: string;
  readonly memory: PipelineMemory;
}

/** `$lookup` for one document: the equality of two fields is one indexed query. */
export function lookup(
  { catalog, db, memory }: LookupSource,
  { from, localField, foreignField, as, let: variables, pipeline }: PlainObject,
  document: PlainObject,
  options: StageOptions,
): PlainObject {
  if (typeof from !== "string" || typeof as !== "string") {
    throw new CommandError("FailedToParse", "$lookup needs the strings 'from' and 'as'");
  }
  const foreign = catalog.find(db, from);
  let matches: PlainObject[] = [];
  if (foreign) {
    matches = memory.decode(
      select(foreign, { filter: equality(document, localField, foreignField) }).records,
    );
  }
  if (Array.isArray(pipeline) && pipeline.length > 0) {
    const bound = isObject(variables) ? (evalExpr(document, variables, options) as PlainObject) : {};
    const { context, collectionResolver } = options;
    const all = { ...options.variables, ...bound };
    matches = new Aggregator(pipeline as PlainObject[], {
      context,
      ...(collectionResolver && { collectionResolver }),
      variables: all,
    }).run(matches);
  }
  return withField(document, as.split("."), matches);
}

function equality(document: PlainObject, localField: unknown, foreignField: unknown): PlainObject {
  if (localField === undefined && foreignField === undefined) return {};
  if (typeof localField !== "string" || typeof foreignField !== "string") {
    throw new CommandError("FailedToParse", "$lookup needs both localField and foreignField, or neither");
  }
  const wanted = collectValues(document, splitPath(localField)).flatMap((value) =>
    Array.isArray(value) ? (value as unknown[]) : [value ?? null],
  );
  return { [foreignField]: { $in: wanted } };
}

function withField(document: PlainObject, [head, ...rest]: string[], value: unknown): PlainObject {
  const copy = { ...document };
  const inner = copy[head!];
  setField(copy, head!, rest.length === 0 ? value : withField(isObject(inner) ? inner : {}, rest, value));
  return copy;
}
