import { CommandError } from "../errors.ts";
import { compileCondition } from "../expression/context.ts";
import type { Collation } from "../values/collation.ts";
import { isNumeric, toDouble } from "../values/numbers.ts";
import { collectValues, type Path, splitPath } from "../values/path.ts";
import { isObject, isOperatorName, isOperatorObject, type PlainObject } from "../values/types.ts";
import { bits, equals, hasType, inList, matchesRegex, modulo, ordered, type ValueTest } from "./operators.ts";
import { compileRegex, isRegex, toRegExp } from "./regex.ts";

export type DocumentTest = (document: PlainObject) => boolean;

export interface FilterOptions {
  /** For `$expr`. Default: those of the command. */
  readonly variables?: PlainObject;
  readonly collation?: Collation | undefined;
}

/**
 * Compiles a query filter.
 * @param filter exactly decoded (see decodeExact), or computed (see toComputed)
 * @returns a test for exactly decoded documents, and for computed ones
 * @throws CommandError BadValue for unknown operators and malformed operands
 */
export function compileFilter(filter: PlainObject, options: FilterOptions = {}): DocumentTest {
  const tests = Object.entries(filter).map(([key, operand]) =>
    isOperatorName(key) ? compileTopLevel(key, operand, options) : compileField(key, operand, options),
  );
  if (tests.length === 0) return () => true;
  if (tests.length === 1) return tests[0]!;
  return (document) => tests.every((test) => test(document));
}

function compileTopLevel(operator: string, operand: unknown, options: FilterOptions): DocumentTest {
  switch (operator) {
    case "$and":
    case "$or":
    case "$nor": {
      if (!Array.isArray(operand) || operand.length === 0) {
        throw new CommandError("BadValue", `${operator} must be a nonempty array`);
      }
      const tests = operand.map((part) => {
        if (!isObject(part))
          throw new CommandError("BadValue", `${operator} entries need to be full objects`);
        return compileFilter(part, options);
      });
      if (operator === "$and") return (document) => tests.every((test) => test(document));
      if (operator === "$or") return (document) => tests.some((test) => test(document));
      return (document) => !tests.some((test) => test(document));
    }
    case "$expr":
      return compileCondition(operand, options);
    case "$comment":
      return () => true;
    case "$where":
      throw new CommandError(
        "BadValue",
        "$where is not supported by the embedded database: it runs no scripts",
      );
    default:
      throw new CommandError("BadValue", `unknown top level operator: ${operator}`);
  }
}

function compileField(field: string, operand: unknown, options: FilterOptions): DocumentTest {
  const path = splitPath(field);
  if (isRegex(operand)) return anyValue(path, matchesRegex(toRegExp(operand)));
  if (!isOperatorObject(operand)) return anyValue(path, equals(operand, options.collation));
  const tests = Object.keys(operand).map((operator) => compileOperator(path, operator, operand, options));
  return tests.length === 1 ? tests[0]! : (document) => tests.every((test) => test(document));
}

/** The path under which {@link compileElemMatch} tests an element; filters can't refer to it. */
const ELEMENT: Path = ["element"];

/** Whether a value at the path, or an element of an array there, passes. Nested arrays are not expanded. */
function anyValue(path: Path, test: ValueTest): DocumentTest {
  const name = path[0]!;
  if (path === ELEMENT) return (document) => test(document[name]);
  const any = (value: unknown) => test(value) || (Array.isArray(value) && value.some(test));
  if (path.length === 1) return (document) => any(Object.hasOwn(document, name) ? document[name] : undefined);
  return (document) => collectValues(document, path).some(any);
}

const not =
  (test: DocumentTest): DocumentTest =>
  (document) =>
    !test(document);

function compileOperator(
  path: Path,
  operator: string,
  operators: PlainObject,
  options: FilterOptions,
): DocumentTest {
  const operand = operators[operator];
  const { collation } = options;
  switch (operator) {
    case "$eq":
      return anyValue(path, equals(operand, collation));
    case "$ne":
      if (isRegex(operand)) throw new CommandError("BadValue", "Can't have regex as arg to $ne.");
      return not(anyValue(path, equals(operand, collation)));
    case "$gt":
    case "$gte":
    case "$lt":
    case "$lte":
      return anyValue(path, ordered(operator, operand, collation));
    case "$in":
      return anyValue(path, inList(operator, operand, collation));
    case "$nin":
      return not(anyValue(path, inList(operator, operand, collation)));
    case "$not":
      return not(compileNot(path, operand, options));
    case "$exists": {
      const wanted = isNumeric(operand) ? toDouble(operand) !== 0 : operand !== false && operand !== null;
      return (document) => collectValues(document, path).some((value) => value !== undefined) === wanted;
    }
    case "$type":
      return anyValue(path, hasType(operand));
    case "$mod":
      return anyValue(path, modulo(operand));
    case "$regex": {
      const flags = typeof operators["$options"] === "string" ? operators["$options"] : undefined;
      if (typeof operand === "string")
        return anyValue(path, matchesRegex(compileRegex(operand, flags ?? "")));
      if (!isRegex(operand)) throw new CommandError("BadValue", "$regex has to be a string");
      const regex = toRegExp(operand);
      return anyValue(path, matchesRegex(flags === undefined ? regex : compileRegex(regex.source, flags)));
    }
    case "$options":
      if (!("$regex" in operators)) throw new CommandError("BadValue", "$options needs a $regex");
      return () => true;
    case "$size": {
      if (!isNumeric(operand)) throw new CommandError("BadValue", "$size needs a number");
      const size = toDouble(operand);
      return (document) =>
        collectValues(document, path).some((value) => Array.isArray(value) && value.length === size);
    }
    case "$all":
      return compileAll(path, operand, options);
    case "$elemMatch": {
      const test = compileElemMatch(operand, options);
      return (document) =>
        collectValues(document, path).some((value) => Array.isArray(value) && value.some(test));
    }
    case "$bitsAllSet":
    case "$bitsAnySet":
    case "$bitsAllClear":
    case "$bitsAnyClear":
      return anyValue(path, bits(operator, operand));
    default:
      throw new CommandError("BadValue", `unknown operator: ${operator}`);
  }
}

function compileNot(path: Path, operand: unknown, options: FilterOptions): DocumentTest {
  if (isRegex(operand)) return anyValue(path, matchesRegex(toRegExp(operand)));
  if (!isOperatorObject(operand)) throw new CommandError("BadValue", "$not needs a regex or a document");
  const tests = Object.keys(operand).map((operator) => compileOperator(path, operator, operand, options));
  return (document) => tests.every((test) => test(document));
}

function compileAll(path: Path, operand: unknown, options: FilterOptions): DocumentTest {
  if (!Array.isArray(operand)) throw new CommandError("BadValue", "$all needs an array");
  if (operand.length === 0) return () => false;
  const tests = operand.map((item) => {
    if (isOperatorObject(item) && "$elemMatch" in item)
      return compileOperator(path, "$elemMatch", item, options);
    return anyValue(path, isRegex(item) ? matchesRegex(toRegExp(item)) : equals(item, options.collation));
  });
  return (document) => tests.every((test) => test(document));
}

const LOGICAL = new Set(["$and", "$or", "$nor", "$expr", "$comment"]);

/**
 * The condition of `$elemMatch`: a query on the element as a document (a nested array counts as one, with the fields "0", "1", …), or
 * operators on the element itself.
 */
export function compileElemMatch(operand: unknown, options: FilterOptions = {}): ValueTest {
  if (!isObject(operand)) throw new CommandError("BadValue", "$elemMatch needs an Object");
  if (hasValueOperators(operand)) return compileElement(ELEMENT, operand, options);
  const test = compileFilter(operand, options);
  return (element) =>
    Array.isArray(element) ? test(Object.fromEntries(element.entries())) : isObject(element) && test(element);
}

/** The condition of `$pull`: a filter on the element as a document, or as the value of a field. */
export function compilePull(operand: PlainObject, options: FilterOptions): ValueTest {
  if (hasValueOperators(operand)) return compileElement(["element"], operand, options);
  const test = compileFilter(operand, options);
  return (element) => isObject(element) && test(element);
}

function hasValueOperators(operand: PlainObject): boolean {
  const first = Object.keys(operand)[0];
  return first !== undefined && isOperatorName(first) && !LOGICAL.has(first);
}

function compileElement(path: Path, operators: PlainObject, options: FilterOptions): ValueTest {
  const tests = Object.keys(operators).map((operator) => compileOperator(path, operator, operators, options));
  return (element) => tests.every((test) => test({ element }));
}

const BRANCHING = new Set(["$and", "$or", "$nor"]);

const branches = (operand: unknown): PlainObject[] =>
  Array.isArray(operand) ? operand.filter(isObject) : [];

/** Whether a filter can depend on any field, because it has an expression. */
export const usesWholeDocument = (filter: PlainObject): boolean =>
  Object.entries(filter).some(
    ([key, operand]) => key === "$expr" || (BRANCHING.has(key) && branches(operand).some(usesWholeDocument)),
  );

/** The top-level fields that a filter depends on. */
export const filterFields = (filter: PlainObject): string[] =>
  Object.entries(filter).flatMap(([key, operand]) => {
    if (!isOperatorName(key)) return key.split(".", 1);
    return BRANCHING.has(key) ? branches(operand).flatMap(filterFields) : [];
  });
