import { splitPath } from "../values/path.ts";
import { hasOwn, isObject, isOperatorObject, type PlainObject } from "../values/types.ts";
import { compileElemMatch, compileFilter, type FilterOptions } from "./matcher.ts";

/**
 * The index that the positional `$` stands for: that of the first array element that matches the filter.
 * @returns undefined if no condition of the filter goes through an array
 */
export function positionalIndex(
  filter: PlainObject,
  document: PlainObject,
  options: FilterOptions,
): number | undefined {
  let index: number | undefined;
  for (const [key, operand] of Object.entries(filter)) {
    if ((key === "$and" || key === "$or") && Array.isArray(operand)) {
      for (const part of operand) {
        if (!isObject(part) || (key === "$or" && !compileFilter(part, options)(document))) continue;
        index ??= positionalIndex(part, document, options);
      }
    } else if (!key.startsWith("$")) {
      index ??= fieldIndex(key, operand, document, options);
    }
  }
  return index;
}

function fieldIndex(
  field: string,
  operand: unknown,
  document: PlainObject,
  options: FilterOptions,
): number | undefined {
  const parts = splitPath(field);
  let value: unknown = document;
  for (const [i, part] of parts.entries()) {
    if (!isObject(value) || !hasOwn(value, part)) return undefined;
    value = value[part];
    if (Array.isArray(value)) return elementIndex(value, parts.slice(i + 1).join("."), operand, options);
  }
  return undefined;
}

function elementIndex(
  array: unknown[],
  rest: string,
  operand: unknown,
  options: FilterOptions,
): number | undefined {
  if (rest === "" && isObject(operand) && "$elemMatch" in operand) {
    return found(array.findIndex(compileElemMatch(operand["$elemMatch"], options)));
  }
  const positive = isOperatorObject(operand) ? withoutNegations(operand) : operand;
  if (positive === undefined) return undefined;
  const test = compileFilter({ [rest === "" ? "element" : rest]: positive }, options);
  return found(
    array.findIndex((element) => test(rest === "" ? { element } : isObject(element) ? element : {})),
  );
}

const NEGATIONS = new Set(["$ne", "$nin", "$not"]);

/** undefined if nothing is left: a negation matches the whole array, not an element. */
function withoutNegations(operators: PlainObject): PlainObject | undefined {
  const left = Object.entries(operators).filter(([name]) => !NEGATIONS.has(name));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

const found = (index: number): number | undefined => (index === -1 ? undefined : index);
