import { isRegex } from "../query/regex.ts";
import { setField } from "../values/plain.ts";
import { isObject, isOperatorName, type PlainObject } from "../values/types.ts";

/** The initial document of an upsert: the equalities of its filter. */
export function upsertSeed(filter: PlainObject): PlainObject {
  const seed: PlainObject = {};
  collect(filter, seed);
  return seed;
}

function collect(filter: PlainObject, seed: PlainObject): void {
  for (const [key, operand] of Object.entries(filter)) {
    if (key === "$and" && Array.isArray(operand)) {
      for (const part of operand) if (isObject(part)) collect(part, seed);
    } else if (key === "$or" && Array.isArray(operand) && operand.length === 1 && isObject(operand[0])) {
      collect(operand[0], seed);
    } else if (!key.startsWith("$")) {
      const value = equality(operand);
      if (value !== undefined) setPath(seed, key.split("."), value);
    }
  }
}

function equality(operand: unknown): unknown {
  if (isRegex(operand)) return undefined;
  if (!isObject(operand) || !isOperatorName(Object.keys(operand)[0])) return operand;
  if ("$eq" in operand) return operand["$eq"];
  const list = operand["$in"] ?? operand["$all"];
  return Array.isArray(list) && list.length === 1 && !isObject(list[0]) ? list[0] : undefined;
}

function setPath(target: PlainObject, path: string[], value: unknown): void {
  let at = target;
  for (const part of path.slice(0, -1)) {
    if (!isObject(at[part])) setField(at, part, {});
    at = at[part] as PlainObject;
  }
  setField(at, path.at(-1)!, value);
}
