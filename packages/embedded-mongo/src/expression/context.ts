import { Aggregator } from "mingo/aggregator";
import { Context, evalExpr } from "mingo/core";
import { Query } from "mingo/query";
import * as pipeline from "mingo/operators/pipeline";
import * as projection from "mingo/operators/projection";
import * as query from "mingo/operators/query";
import { commandVariables } from "../command-scope.ts";
import type { FilterOptions } from "../query/matcher.ts";
import { isNumeric, toDouble } from "../values/numbers.ts";
import { type Path, splitPath } from "../values/path.ts";
import { setField, toComputed } from "../values/plain.ts";
import { hasOwn, isObject, type PlainObject } from "../values/types.ts";
import { accumulatorExpressions, accumulators } from "./accumulators.ts";
import { expressionOperators } from "./operators.ts";

type Project = typeof pipeline.$project;

/** Converts the numbers of a projection that include or exclude fields for mingo. */
const plainLeaves = (projected: PlainObject): PlainObject =>
  Object.fromEntries(
    Object.entries(projected).map(([name, value]) => {
      if (name.startsWith("$")) return [name, value];
      return [name, isNumeric(value) ? toDouble(value) : isObject(value) ? plainLeaves(value) : value];
    }),
  );

const $project: Project = (stream, projected, options) =>
  pipeline.$project(stream, plainLeaves(projected), options);

const isNested = (value: unknown): value is PlainObject =>
  isObject(value) && Object.keys(value).some((name) => !name.startsWith("$"));

/** Sets computed fields: also within existing documents, and in each element of arrays. */
function withFields(
  target: unknown,
  fields: PlainObject,
  compute: (expression: unknown) => unknown,
): unknown {
  let changed = target;
  for (const [path, value] of Object.entries(fields)) {
    const set = (existing: unknown): unknown =>
      isNested(value) ? withFields(existing, value, compute) : compute(value);
    changed = withField(changed, splitPath(path), set);
  }
  return changed;
}

function withField(target: unknown, path: Path, set: (existing: unknown) => unknown): unknown {
  if (Array.isArray(target)) return target.map((element) => withField(element, path, set));
  const [name = "", ...rest] = path;
  const changed = isObject(target) ? { ...target } : {};
  const existing = hasOwn(changed, name) ? changed[name] : undefined;
  const value = rest.length === 0 ? set(existing) : withField(existing, rest, set);
  if (value === undefined) delete changed[name];
  else setField(changed, name, value);
  return changed;
}

const $addFields: typeof pipeline.$addFields = (stream, fields, options) =>
  stream.map((document) =>
    withFields(document, fields, (expression) => evalExpr(document, expression, options)),
  );

/** The operators of expressions and of streaming stages. */
export const operators = {
  accumulator: accumulators,
  expression: { ...expressionOperators, ...accumulatorExpressions },
  pipeline: { ...pipeline, $addFields, $project, $set: $addFields },
  projection,
  query,
};

type Operators = NonNullable<Parameters<typeof Context.init>[0]>;

const expressionContext = Context.init(operators as unknown as Operators);

/** The options of mingo to compute an expression of the current command. */
export const mingoOptions = ({ variables = commandVariables(), collation }: FilterOptions) => ({
  scriptEnabled: false,
  context: expressionContext,
  variables,
  ...(collation && { collation }),
});

/** Evaluates `let`, whose expressions have no document. */
export function evaluateVariables(variables: PlainObject): PlainObject {
  if (Object.keys(variables).length === 0) return variables;
  const stages = [{ $replaceWith: toComputed(variables) as PlainObject }];
  return new Aggregator(stages, mingoOptions({ variables: {} })).run<PlainObject>([{}])[0] ?? {};
}

/** Compiles the condition of `$expr`. */
export function compileCondition(
  expression: unknown,
  options: FilterOptions,
): (document: PlainObject) => boolean {
  const condition = { $expr: { $and: [toComputed(expression)] } };
  const test = new Query(condition, mingoOptions(options));
  return (document) => test.test(toComputed(document) as PlainObject);
}
