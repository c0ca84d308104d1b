import { CommandError } from "../errors.ts";
import { orderBy, parseSort } from "../query/sort.ts";
import { compareExactly } from "../values/order.ts";
import { integerOption, toDouble } from "../values/numbers.ts";
import { isNullish, isObject, typeName } from "../values/types.ts";
import { toBoolean } from "./conversions.ts";
import { Distinct } from "./distinct.ts";
import { collationOf, type Evaluate, evaluate, operands, type Operator, type Options } from "./operands.ts";

const anyElement =
  (wanted: boolean): Evaluate =>
  (document, expression, options) => {
    const [values] = operands(document, expression, options);
    return lists("$anyElementTrue or $allElementsTrue", [values])[0]!.some(
      (value) => toBoolean(value) === wanted,
    );
  };

function lists(name: string, values: readonly unknown[]): unknown[][] {
  for (const value of values) {
    if (!Array.isArray(value)) {
      throw new CommandError(
        "Location17310",
        `All operands of ${name} must be arrays. One argument is of type: ${typeName(value)}`,
      );
    }
  }
  return values as unknown[][];
}

type ToSet = (values: readonly unknown[]) => Distinct;

/** An operator on sets; null if an operand is null or missing. */
const onSets =
  (name: string, compute: (lists: readonly unknown[][], toSet: ToSet) => unknown): Evaluate =>
  (document, expression, options) => {
    const values = operands(document, expression, options);
    if (values.some(isNullish)) return null;
    return compute(lists(name, values), (list) => new Distinct(collationOf(options), list));
  };

const isSubset = (list: readonly unknown[], set: Distinct): boolean => list.every((value) => set.has(value));

function $in(document: unknown, expression: unknown, options: Options): unknown {
  const [value, list] = operands(document, expression, options);
  const collation = collationOf(options);
  return lists("$in", [list])[0]!.some((element) => compareExactly(element, value, collation) === 0);
}

function $indexOfArray(document: unknown, expression: unknown, options: Options): unknown {
  const [list, value, from, to] = operands(document, expression, options);
  if (isNullish(list)) return null;
  const elements = lists("$indexOfArray", [list])[0]!;
  const start = integerOption(from, "start", 0);
  const end = integerOption(to, "end", elements.length);
  const collation = collationOf(options);
  return elements.findIndex(
    (element, i) => i >= start && i < end && compareExactly(element, value, collation) === 0,
  );
}

function $sortArray(document: unknown, expression: unknown, options: Options): unknown {
  if (!isObject(expression)) throw new CommandError("FailedToParse", "$sortArray requires an object");
  const input = evaluate(document, expression["input"], options);
  if (isNullish(input)) return null;
  const list = lists("$sortArray", [input])[0]!;
  const { sortBy } = expression;
  if (!isObject(sortBy))
    return [...list].sort((a, b) => toDouble(sortBy) * compareExactly(a, b, collationOf(options)));
  const { keyOf, compare } = orderBy(parseSort(sortBy) ?? [], collationOf(options));
  const keyed = list.map((element) => ({ element, key: keyOf(isObject(element) ? element : {}) }));
  return keyed.sort(compare).map(({ element }) => element);
}

/** Operators that compare the elements of arrays, or test them. */
export const listOperators: Readonly<Record<string, Operator>> = {
  $anyElementTrue: anyElement(true),
  $allElementsTrue: (document, expression, options) => !anyElement(false)(document, expression, options),
  $in,
  $indexOfArray,
  $sortArray,
  $setUnion: onSets("$setUnion", (all, toSet) => toSet(all.flat(1)).values),
  $setIntersection: onSets("$setIntersection", ([first = [], ...others], toSet) => {
    const rest = others.map(toSet);
    return toSet(first.filter((value) => rest.every((set) => set.has(value)))).values;
  }),
  $setDifference: onSets("$setDifference", ([first = [], second = []], toSet) => {
    const removed = toSet(second);
    return toSet(first.filter((value) => !removed.has(value))).values;
  }),
  $setEquals: onSets("$setEquals", ([first = [], ...others], toSet) =>
    others.every((other) => isSubset(other, toSet(first)) && isSubset(first, toSet(other))),
  ),
  $setIsSubset: onSets("$setIsSubset", ([first = [], second = []], toSet) => isSubset(first, toSet(second))),
};
