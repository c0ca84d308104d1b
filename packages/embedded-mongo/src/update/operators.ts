import { Int32, Timestamp } from "bson";
import { CommandError } from "../errors.ts";
import type { Collation } from "../values/collation.ts";
import { compare } from "../values/compare.ts";
import { arithmetic, bitwise, isNumeric, isWhole } from "../values/numbers.ts";
import { cloneValue } from "../values/plain.ts";
import { isObject, typeName } from "../values/types.ts";

/** @param current `undefined` is a missing field */
export type Change = (
  current: unknown,
  operand: unknown,
  path: string,
  collation: Collation | undefined,
) => unknown;

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
