import { evalExpr } from "mingo/core";
import { PAUSE } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { collectValues, splitPath } from "../values/path.ts";
import { setField } from "../values/plain.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import type { ExpressionOptions } from "./context.ts";
import { compilePipeline, type Documents, type Environment, readDocuments } from "./pipeline.ts";

/** `$lookup` for one document: the equality of two fields is one indexed query. */
export function* lookup(
  environment: Environment,
  expressions: ExpressionOptions,
  { from, localField, foreignField, as, let: variables, pipeline }: PlainObject,
  document: PlainObject,
): Generator<PlainObject | typeof PAUSE> {
  if (typeof from !== "string" || typeof as !== "string") {
    throw new CommandError("FailedToParse", "$lookup needs the strings 'from' and 'as'");
  }
  const { catalog, db, memory, options } = environment;
  let found: Documents = readDocuments(catalog.find(db, from), {
    filter: equality(document, localField, foreignField),
    collation: options.collation,
  });
  if (Array.isArray(pipeline) && pipeline.length > 0) {
    const bound = isObject(variables) ? (evalExpr(document, variables, expressions) as PlainObject) : {};
    const inner = { ...options, variables: { ...options.variables, ...bound } };
    found = compilePipeline(pipeline as PlainObject[], { ...environment, options: inner })(found);
  }
  const matches: PlainObject[] = [];
  let bytes = 0;
  for (const match of found) {
    if (match === PAUSE) yield PAUSE;
    else {
      bytes += memory.keep(match);
      matches.push(match);
    }
  }
  yield withField(document, as.split("."), matches);
  memory.release(bytes);
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

export function withField(document: PlainObject, [head, ...rest]: string[], value: unknown): PlainObject {
  const copy = { ...document };
  const inner = copy[head!];
  setField(copy, head!, rest.length === 0 ? value : withField(isObject(inner) ? inner : {}, rest, value));
  return copy;
}
