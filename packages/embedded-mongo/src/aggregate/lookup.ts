import { evalExpr } from "mingo/core";
import { Long } from "bson";
import { PAUSE } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { collectValues, splitPath } from "../values/path.ts";
import { setField } from "../values/plain.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { type ExpressionOptions, expressionOptions } from "./context.ts";
import { compilePipeline, type Documents, type Environment, readDocuments, type Stage } from "./pipeline.ts";
import { Distinct } from "../expression/distinct.ts";
import { integerOption } from "../values/numbers.ts";

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

function withField(document: PlainObject, [head, ...rest]: string[], value: unknown): PlainObject {
  const copy = { ...document };
  const inner = copy[head!];
  setField(copy, head!, rest.length === 0 ? value : withField(isObject(inner) ? inner : {}, rest, value));
  return copy;
}

interface Graph {
  readonly from: string;
  readonly startWith: unknown;
  readonly connectFromField: string;
  readonly connectToField: string;
  readonly as: string;
  readonly maxDepth: number;
  readonly depthField: string | undefined;
  readonly restriction: PlainObject;
}

/** `$graphLookup`: each step is one query for the values found in the previous step. */
export function graphLookup(specification: PlainObject, environment: Environment): Stage {
  const graph = parseGraph(specification);
  const expressions = expressionOptions(environment.options);
  const { memory } = environment;
  return function* (input) {
    for (const document of input) {
      if (document === PAUSE) {
        yield PAUSE;
        continue;
      }
      const start = evalExpr(document, graph.startWith, expressions);
      const found: PlainObject[] = [];
      let bytes = 0;
      for (const match of search(graph, start, environment)) {
        if (match === PAUSE) yield PAUSE;
        else {
          bytes += memory.keep(match);
          found.push(match);
        }
      }
      yield withField(document, graph.as.split("."), found);
      memory.release(bytes);
    }
  };
}

function parseGraph(specification: PlainObject): Graph {
  const { from, startWith, connectFromField, connectToField, as, maxDepth, depthField, ...others } =
    specification;
  const { restrictSearchWithMatch = {}, ...unknown } = others;
  if (
    typeof from !== "string" ||
    typeof connectFromField !== "string" ||
    typeof connectToField !== "string" ||
    typeof as !== "string" ||
    startWith === undefined
  )
    throw new CommandError(
      "FailedToParse",
      "$graphLookup needs 'from', 'as', 'startWith', 'connectFromField' and 'connectToField'",
    );
  const steps = integerOption(maxDepth, "maxDepth", Infinity);
  if (steps < 0) throw new CommandError("BadValue", "maxDepth must be nonnegative");
  if (depthField !== undefined && typeof depthField !== "string")
    throw new CommandError("FailedToParse", "depthField must be a string");
  if (!isObject(restrictSearchWithMatch))
    throw new CommandError("FailedToParse", "restrictSearchWithMatch must be an object");
  const [name] = Object.keys(unknown);
  if (name !== undefined)
    throw new CommandError("FailedToParse", `Unknown argument to $graphLookup: ${name}`);
  return {
    from,
    startWith,
    connectFromField,
    connectToField,
    as,
    maxDepth: steps,
    depthField,
    restriction: restrictSearchWithMatch,
  };
}

/** Each document once, at its lowest depth. */
function* search(
  { from, connectFromField, connectToField, maxDepth, depthField, restriction }: Graph,
  start: unknown,
  { catalog, db, options }: Environment,
): Documents {
  const path = splitPath(connectFromField);
  const visited = new Distinct(undefined);
  let values = new Distinct(options.collation, present(Array.isArray(start) ? start : [start])).values;
  for (let depth = 0; values.length > 0 && depth <= maxDepth; depth++) {
    const next = new Distinct(options.collation);
    const filter = { $and: [{ [connectToField]: { $in: values } }, restriction] };
    for (const document of readDocuments(catalog.find(db, from), { filter, collation: options.collation })) {
      if (document === PAUSE) {
        yield PAUSE;
        continue;
      }
      if (visited.has(document["_id"])) continue;
      visited.add(document["_id"]);
      for (const value of present(collectValues(document, path).flat(1))) next.add(value);
      if (depthField !== undefined) setField(document, depthField, Long.fromNumber(depth));
      yield document;
    }
    ({ values } = next);
  }
}

const present = (values: readonly unknown[]): unknown[] => values.filter((value) => value !== undefined);
