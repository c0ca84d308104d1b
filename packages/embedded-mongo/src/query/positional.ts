import { splitPath } from "../values/path.ts";
import { hasOwn, isObject, type PlainObject } from "../values/types.ts";
import { compileElemMatch, compileFilter } from "./matcher.ts";

/**
 * What the positional `$` stands for: the index of the first array element that made the filter match.
 * @returns undefined when no condition of the filter goes through an array
 */
export function positionalIndex(filter: PlainObject, document: PlainObject): number | undefined {
  let index: number | undefined;
  for (const [key, operand] of Object.entries(filter)) {
    if ((key === "$and" || key === "$or") && Array.isArray(operand)) {
      for (const part of operand) {
        if (!isObject(part) || (key === "$or" && !compileFilter(part)(document))) continue;
        index ??= positionalIndex(part, document);
      }
    } else if (!key.startsWith("$")) {
      index ??= fieldIndex(key, operand, document);
    }
  }
  return index;
}

function fieldIndex(field: string, operand: unknown, document: PlainObject): number | undefined {
  const parts = splitPath(field);
  let value: unknown = document;
  for (const [i, part] of parts.entries()) {
    if (!isObject(value) || !hasOwn(value, part)) return undefined;
    value = value[part];
    if (Array.isArray(value)) return elementIndex(value, parts.slice(i + 1).join("."), operand);
  }
  return undefined;
}

function elementIndex(array: unknown[], rest: string, operand: unknown): number | undefined {
  if (rest === "" && isObject(operand) && "$elemMatch" in operand) {
    return found(array.findIndex(compileElemMatch(operand["$elemMatch"])));
  }
  const test = compileFilter({ [rest === "" ? "element" : rest]: operand });
  return found(
    array.findIndex((element) => test(rest === "" ? { element } : isObject(element) ? element : {})),
  );
}

const found = (index: number): number | undefined => (index === -1 ? undefined : index);
