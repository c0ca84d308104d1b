import { Int32, Timestamp } from "bson";
import { CommandError } from "../errors.ts";
import type { Collation } from "../values/collation.ts";
import { compare } from "../values/order.ts";
import { arithmetic, bitwise, isNumeric, isWhole, integerOption, toDouble } from "../values/numbers.ts";
import { cloneValue } from "../values/plain.ts";
import { isObject, typeName, type PlainObject } from "../values/types.ts";
import { compilePull } from "../query/matcher.ts";
import { equals } from "../query/operators.ts";
import { isRegex } from "../query/regex.ts";
import { orderBy, parseSort } from "../query/sort.ts";

/** @param current `undefined` is a missing field */
type Change = (current: unknown, operand: unknown, path: string, collation: Collation | undefined) => unknown;

function requireNumber(value: unknown, operator: string, path: string, what: string): void {
  if (isNumeric(value)) return;
  throw new CommandError(
    "TypeMismatch",
    `Cannot apply ${operator} to a value of non-numeric type: ${what} '${path}' is of type ${typeName(value)}`,
  );
}

const calculate =
  (operator: "$inc" | "$mul"): Change =>
  (current, operand, path) => {
    requireNumber(operand, operator, path, "the argument for");
    if (current === undefined)
      return operator === "$inc" ? operand : arithmetic(operand, new Int32(0), "multiply");
    requireNumber(current, operator, path, "the field");
    return arithmetic(current, operand, operator === "$inc" ? "add" : "multiply");
  };

const extreme =
  (sign: 1 | -1): Change =>
  (current, operand, _path, collation) =>
    current === undefined || sign * compare(operand, current, collation) > 0 ? operand : current;

const currentDate: Change = (_current, operand) => {
  if (operand === true || (isObject(operand) && operand["$type"] === "date")) return new Date();
  if (isObject(operand) && operand["$type"] === "timestamp") {
    return new Timestamp({ t: Math.floor(Date.now() / 1000), i: 1 });
  }
  throw new CommandError("BadValue", "$currentDate takes true, {$type: 'date'} or {$type: 'timestamp'}");
};

const bit: Change = (current, operand, path) => {
  if (!isObject(operand))
    throw new CommandError("BadValue", "The $bit modifier needs an object of and, or, xor");
  let value = current ?? new Int32(0);
  if (!isWhole(value))
    throw new CommandError("BadValue", `Cannot apply $bit to '${path}' of type ${typeName(value)}`);
  for (const [operation, mask] of Object.entries(operand)) {
    if (operation !== "and" && operation !== "or" && operation !== "xor") {
      throw new CommandError("BadValue", `The $bit modifier knows and, or, xor; not '${operation}'`);
    }
    if (!isWhole(mask))
      throw new CommandError("BadValue", "The $bit modifier field must be an Integer(32/64 bit)");
    value = bitwise(value, mask, operation);
  }
  return value;
};

/** Operators on a single value. Each returns the new value. */
export const fieldOperators: Record<string, Change> = {
  $set: (_current, operand) => cloneValue(operand),
  $setOnInsert: (_current, operand) => cloneValue(operand),
  $inc: calculate("$inc"),
  $mul: calculate("$mul"),
  $min: extreme(-1),
  $max: extreme(1),
  $currentDate: currentDate,
  $bit: bit,
};

function arrayAt(current: unknown, path: string, operator: string): unknown[] {
  if (current === undefined) return [];
  if (Array.isArray(current)) return current as unknown[];
  throw new CommandError(
    "BadValue",
    `The field '${path}' must be an array but is of type ${typeName(current)} (operator ${operator})`,
  );
}

const PUSH_MODIFIERS = new Set(["$each", "$slice", "$sort", "$position"]);

function sortElements(array: unknown[], order: unknown, collation: Collation | undefined): unknown[] {
  if (isNumeric(order)) {
    const direction = toDouble(order);
    return [...array].sort((a, b) => direction * compare(a, b, collation));
  }
  const by = orderBy(parseSort(order) ?? [], collation);
  const keyed = array.map((element) => ({ element, key: by.keyOf(isObject(element) ? element : {}) }));
  return keyed.sort(by.compare).map(({ element }) => element);
}

const push: Change = (current, operand, path, collation) => {
  const array = arrayAt(current, path, "$push");
  if (!isObject(operand) || !("$each" in operand)) return [...array, operand];
  const each = operand["$each"];
  if (!Array.isArray(each))
    throw new CommandError("BadValue", "The argument to $each in $push must be an array");
  const unknown = Object.keys(operand).find((key) => !PUSH_MODIFIERS.has(key));
  if (unknown) throw new CommandError("BadValue", `Unrecognized clause in $push: ${unknown}`);
  const at = integerOption(operand["$position"], "$position", array.length);
  const start = at < 0 ? Math.max(array.length + at, 0) : at;
  let result = [...array.slice(0, start), ...(each as unknown[]), ...array.slice(start)];
  if (operand["$sort"] !== undefined) result = sortElements(result, operand["$sort"], collation);
  if (operand["$slice"] !== undefined) {
    const keep = integerOption(operand["$slice"], "$slice", 0);
    result = keep === 0 ? [] : keep < 0 ? result.slice(keep) : result.slice(0, keep);
  }
  return result;
};

const addToSet: Change = (current, operand, path, collation) => {
  const array = [...arrayAt(current, path, "$addToSet")];
  const each = isObject(operand) && "$each" in operand ? operand["$each"] : [operand];
  if (!Array.isArray(each))
    throw new CommandError("TypeMismatch", "The argument to $each in $addToSet must be an array");
  for (const value of each) if (!array.some(equals(value, collation))) array.push(value);
  return array;
};

const pop: Change = (current, operand, path) => {
  if (current === undefined) return undefined;
  const direction = isNumeric(operand) ? toDouble(operand) : 0;
  if (direction !== 1 && direction !== -1) throw new CommandError("FailedToParse", "$pop expects 1 or -1");
  const array = arrayAt(current, path, "$pop");
  return direction === 1 ? array.slice(0, -1) : array.slice(1);
};

const pull: Change = (current, operand, path, collation) => {
  if (current === undefined) return undefined;
  const array = arrayAt(current, path, "$pull");
  if (isObject(operand) || isRegex(operand)) {
    const test = compilePull(isRegex(operand) ? { $regex: operand } : operand, { collation });
    return array.filter((element) => !test(element));
  }
  const isEqual = equals(operand, collation);
  return array.filter((element) => !isEqual(element));
};

const pullAll: Change = (current, operand, path, collation) => {
  if (!Array.isArray(operand)) throw new CommandError("BadValue", "$pullAll requires an array argument");
  if (current === undefined) return undefined;
  const tests = operand.map((value) => equals(value, collation));
  return arrayAt(current, path, "$pullAll").filter((element) => !tests.some((test) => test(element)));
};

/** Array operators. Each returns the new value, or undefined if nothing changes. */
export const arrayOperators: Record<string, Change> = {
  $push: push,
  $addToSet: addToSet,
  $pop: pop,
  $pull: pull,
  $pullAll: pullAll,
} satisfies PlainObject;
