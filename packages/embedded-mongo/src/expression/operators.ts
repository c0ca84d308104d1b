import * as mingo from "mingo/operators/expression";
import { CommandError } from "../errors.ts";
import { compareExactly } from "../values/order.ts";
import { quantize, type Rounding, toDecimal128 } from "../values/decimal.ts";
import { bitwise, integerOption, isNumeric, kindOf, toDecimal, toDouble } from "../values/numbers.ts";
import { toComputed } from "../values/plain.ts";
import { isNullish, isObject, type PlainObject, typeName } from "../values/types.ts";
import { conversions, toBoolean } from "./conversions.ts";
import { listOperators } from "./lists.ts";
import * as numeric from "./numeric.ts";
import {
  checkCount,
  collationOf,
  type Evaluate,
  evaluate,
  onNumbers,
  operands,
  type Operator,
  type Options,
} from "./operands.ts";

function $add(document: unknown, expression: unknown, options: Options): unknown {
  const values = operands(document, expression, options);
  if (values.some(isNullish)) return null;
  const dates = values.filter((value) => value instanceof Date);
  if (dates.length > 1)
    throw new CommandError("Location16612", "only one date allowed in an $add expression");
  const numbers = values.filter((value) => !(value instanceof Date));
  numeric.requireNumbers("$add", numbers);
  const sum = numbers.reduce(numeric.add, 0);
  return dates.length === 0 ? sum : new Date(dates[0]!.getTime() + Math.round(toDouble(sum)));
}

function $subtract(document: unknown, expression: unknown, options: Options): unknown {
  const values = operands(document, expression, options);
  checkCount("$subtract", values, [2, 2]);
  if (values.some(isNullish)) return null;
  const [left, right] = values;
  if (left instanceof Date) {
    if (right instanceof Date) return numeric.long(left.getTime() - right.getTime());
    numeric.requireNumbers("$subtract", [right]);
    return new Date(left.getTime() - Math.round(toDouble(right)));
  }
  numeric.requireNumbers("$subtract", values);
  return numeric.subtract(left, right);
}

function $multiply(document: unknown, expression: unknown, options: Options): unknown {
  const values = operands(document, expression, options);
  if (values.some(isNullish)) return null;
  numeric.requireNumbers("$multiply", values);
  return values.reduce(numeric.multiply, 1);
}

const toWhole = (value: unknown, rounding: Rounding): unknown => {
  if (kindOf(value) !== "decimal") return numeric.round(value, 0, rounding);
  const decimal = toDecimal(value);
  return decimal && decimal.exponent < 0 ? toDecimal128(quantize(decimal, 0, rounding)) : value;
};

/** A real function: computed with doubles, and a decimal if an argument is one. */
const onReals = (name: string, operator: Operator): Evaluate => {
  return (document, expression, options) => {
    const values = operands(document, expression, options);
    if (values.some(isNullish)) return null;
    numeric.requireNumbers(name, values);
    const quoted = values.map((value) => ({ $literal: toDouble(value) }));
    const operand = Array.isArray(expression) && values.length > 1 ? quoted : quoted[0];
    const isDecimal = values.some((value) => kindOf(value) === "decimal");
    return numeric.fromReal((operator as Evaluate)(document, operand, options) as number, isDecimal);
  };
};

const compared =
  (test: (order: number) => unknown): Evaluate =>
  (document, expression, options) => {
    const values = operands(document, expression, options);
    checkCount("a comparison", values, [2, 2]);
    return test(compareExactly(values[0], values[1], collationOf(options)));
  };

/** An operator of mingo whose operands can have any number type. */
const withPlainNumbers = (operator: Operator): Evaluate => {
  const quote = (value: unknown) => ({ $literal: isNumeric(value) ? toDouble(value) : value });
  return (document, expression, options) => {
    const values = evaluate(document, expression, options);
    const quoted = Array.isArray(values)
      ? values.map(quote)
      : isObject(values) && isObject(expression)
        ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, quote(value)]))
        : quote(values);
    return toComputed((operator as Evaluate)(document, quoted, options));
  };
};

const toLong =
  (operator: Evaluate): Evaluate =>
  (document, expression, options) => {
    const result = operator(document, expression, options);
    return typeof result === "number" && Number.isSafeInteger(result) ? numeric.long(result) : result;
  };

function $not(document: unknown, expression: unknown, options: Options): unknown {
  const values = operands(document, expression, options);
  checkCount("$not", values, [1, 1]);
  return !toBoolean(values[0]);
}

/** `$and` and `$or` with short-circuit evaluation. */
const decided =
  (by: boolean): Evaluate =>
  (document, expression, options) => {
    const conditions: unknown[] = Array.isArray(expression) ? expression : [expression];
    const isDecided = (condition: unknown) => toBoolean(evaluate(document, condition, options)) === by;
    return conditions.some(isDecided) === by;
  };

function $cond(document: unknown, expression: unknown, options: Options): unknown {
  if (Array.isArray(expression)) checkCount("$cond", expression, [3, 3]);
  const parts: unknown[] = Array.isArray(expression)
    ? expression
    : ["if", "then", "else"].map((name) => (expression as PlainObject)[name]);
  const [condition, yes, no] = parts;
  return evaluate(document, toBoolean(evaluate(document, condition, options)) ? yes : no, options);
}

function $switch(document: unknown, expression: unknown, options: Options): unknown {
  const { branches, ...rest } = expression as { branches?: PlainObject[]; default?: unknown };
  for (const branch of branches ?? []) {
    if (toBoolean(evaluate(document, branch["case"], options)))
      return evaluate(document, branch["then"], options);
  }
  if ("default" in rest) return evaluate(document, rest.default, options);
  throw new CommandError(
    "Location40066",
    "$switch could not find a matching branch for an input, and no default was specified.",
  );
}

const $filter: Evaluate = (document, expression, options) => {
  if (!isObject(expression)) throw new CommandError("Location28646", "$filter only supports an object");
  const condition = { ...expression, cond: { $and: [expression["cond"]] } };
  const { limit } = expression;
  const plain =
    limit === undefined
      ? condition
      : { ...condition, limit: integerOption(evaluate(document, limit, options), "limit", 0) };
  return (mingo.$filter as unknown as Evaluate)(document, plain, options);
};

const conversion =
  (type: string): Evaluate =>
  (document, expression, options) => {
    const [value] = operands(document, expression, options);
    return isNullish(value) ? null : conversions[type]!(value);
  };

function $convert(document: unknown, expression: unknown, options: Options): unknown {
  if (!isObject(expression)) throw new CommandError("FailedToParse", "$convert expects an object");
  const value = evaluate(document, expression["input"], options);
  if (isNullish(value)) return evaluate(document, expression["onNull"], options) ?? null;
  const type = evaluate(document, expression["to"], options);
  const convert = conversions[isNumeric(type) ? String(toDouble(type)) : String(type)];
  if (!convert) throw new CommandError("BadValue", `Unknown type name: ${String(type)}`);
  try {
    return convert(value);
  } catch (error) {
    if (!("onError" in expression)) throw error;
    return evaluate(document, expression["onError"], options);
  }
}

function $type(document: unknown, expression: unknown, options: Options): unknown {
  const [value] = operands(document, expression, options);
  return value === undefined ? "missing" : typeName(value);
}

const bits = (name: string, operation: "and" | "or" | "xor", start: number): Evaluate =>
  onNumbers(name, [0, Number.MAX_SAFE_INTEGER], (...values: unknown[]) =>
    toComputed(values.reduce((a, b) => bitwise(a, b, operation), start)),
  );

/** An operator of mingo with one operand, which can also be the only element of an array. */
const withOneOperand = (operator: Operator): Evaluate => {
  return (document, expression, options) => {
    const isWrapped = Array.isArray(expression) && expression.length === 1;
    return (operator as Evaluate)(document, isWrapped ? expression[0] : expression, options);
  };
};

function $size(document: unknown, expression: unknown, options: Options): unknown {
  const [list] = operands(document, expression, options);
  if (Array.isArray(list)) return list.length;
  throw new CommandError(
    "Location17124",
    `The argument to $size must be an array, but was: ${typeName(list)}`,
  );
}

const inLetters = (name: string, letters: RegExp, change: (letters: string) => string): Evaluate => {
  return (document, expression, options) => {
    const [text] = operands(document, expression, options);
    if (isNullish(text)) return "";
    if (typeof text !== "string")
      throw new CommandError("Location16007", `${name} needs a string, not ${typeName(text)}`);
    return text.replace(letters, change);
  };
};

/** A part of a date; null if the date is. */
const ofDate = (operator: Operator): Evaluate => {
  return (document, expression, options) => {
    const given = evaluate(document, expression, options);
    const date = Array.isArray(given) ? given[0] : isObject(given) ? given["date"] : given;
    return isNullish(date) ? null : (operator as Evaluate)(document, expression, options);
  };
};

/** Of mingo, and different from MongoDB: months and time zones, ISO weeks, lengths in bytes. */
const UNSUPPORTED = [
  "$dateAdd",
  "$dateFromParts",
  "$dateFromString",
  "$dateSubtract",
  "$indexOfBytes",
  "$week",
];

const originals = Object.fromEntries(
  Object.entries(mingo).filter(([name]) => !UNSUPPORTED.includes(name)),
) as unknown as Readonly<Record<string, Operator>>;

const replaced = (names: readonly string[], wrap: (operator: Operator, name: string) => Evaluate) =>
  Object.fromEntries(names.map((name) => [name, wrap(originals[name]!, name)]));

/** mingo's expression operators, with replacements for those that compute with numbers, compare, or test a condition. */
export const expressionOperators: Readonly<Record<string, Operator>> = {
  ...originals,
  ...listOperators,
  ...replaced(
    // prettier-ignore
    ["$sqrt", "$exp", "$ln", "$log", "$log10", "$sigmoid", "$sin", "$cos", "$tan", "$asin", "$acos", "$atan", "$atan2",
      "$sinh", "$cosh", "$tanh", "$asinh", "$acosh", "$atanh", "$degreesToRadians", "$radiansToDegrees"],
    (operator, name) => onReals(name, operator),
  ),
  ...replaced(
    ["$arrayElemAt", "$slice", "$range", "$substr", "$substrBytes", "$substrCP", "$dateTrunc"],
    withPlainNumbers,
  ),
  ...replaced(["$arrayToObject", "$objectToArray", "$reverseArray"], withOneOperand),
  ...replaced(
    [
      "$year",
      "$month",
      "$dayOfMonth",
      "$dayOfYear",
      "$dayOfWeek",
      "$hour",
      "$minute",
      "$second",
      "$millisecond",
    ],
    ofDate,
  ),
  $size,
  $toLower: inLetters("$toLower", /[A-Z]+/g, (letters) => letters.toLowerCase()),
  $toUpper: inLetters("$toUpper", /[a-z]+/g, (letters) => letters.toUpperCase()),
  ...replaced(["$dateDiff"], (operator) => toLong(withPlainNumbers(operator))),
  $and: decided(false),
  $or: decided(true),
  $not,
  $cond,
  $switch,
  $filter,
  $add,
  $subtract,
  $multiply,
  $divide: onNumbers("$divide", [2, 2], numeric.divide),
  $mod: onNumbers("$mod", [2, 2], numeric.modulo),
  $pow: onNumbers("$pow", [2, 2], numeric.power),
  $abs: onNumbers("$abs", [1, 1], numeric.absolute),
  $ceil: onNumbers("$ceil", [1, 1], (value) => toWhole(value, "ceil")),
  $floor: onNumbers("$floor", [1, 1], (value) => toWhole(value, "floor")),
  $round: onNumbers("$round", [1, 2], (value, place) => numeric.round(value, place, "halfEven")),
  $trunc: onNumbers("$trunc", [1, 2], (value, place) => numeric.round(value, place, "down")),
  $cmp: compared(Math.sign),
  $eq: compared((order) => order === 0),
  $ne: compared((order) => order !== 0),
  $gt: compared((order) => order > 0),
  $gte: compared((order) => order >= 0),
  $lt: compared((order) => order < 0),
  $lte: compared((order) => order <= 0),
  $type,
  $isNumber: (document, expression, options) => isNumeric(operands(document, expression, options)[0]),
  $convert,
  $toBool: conversion("bool"),
  $toDate: conversion("date"),
  $toDecimal: conversion("decimal"),
  $toDouble: conversion("double"),
  $toInt: conversion("int"),
  $toLong: conversion("long"),
  $toObjectId: conversion("objectId"),
  $toString: conversion("string"),
  $bitAnd: bits("$bitAnd", "and", -1),
  $bitOr: bits("$bitOr", "or", 0),
  $bitXor: bits("$bitXor", "xor", 0),
  $bitNot: onNumbers("$bitNot", [1, 1], (value) => toComputed(bitwise(value, -1, "xor"))),
};
