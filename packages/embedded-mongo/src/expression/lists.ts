import { CommandError } from "../errors.ts";
import { parseSort, sortByKey, sortKey } from "../query/sort.ts";
import { compareExactly } from "../values/compare.ts";
import { integerOption, toDouble } from "../values/numbers.ts";
import { isObject, typeName } from "../values/types.ts";
import { toBoolean } from "./conversions.ts";
import { Distinct } from "./distinct.ts";
import { type Evaluate, evaluate, isNullish, operands, type Operator, type Options } from "./operands.ts";

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

/** An operator on sets; null if an operand is null or missing. */
const onSets =
  (name: string, compute: (sets: readonly unknown[][]) => unknown): Evaluate =>
  (document, expression, options) => {
    const values = operands(document, expression, options);
    return values.some(isNullish) ? null : compute(lists(name, values));
  };

const isSubset = (a: readonly unknown[], b: readonly unknown[]): boolean => {
  const all = new Distinct(b);
  return a.every((value) => all.has(value));
};

function $in(document: unknown, expression: unknown, options: Options): unknown {
  const [value, list] = operands(document, expression, options);
  return lists("$in", [list])[0]!.some((element) => compareExactly(element, value) === 0);
}

function $indexOfArray(document: unknown, expression: unknown, options: Options): unknown {
  const [list, value, from, to] = operands(document, expression, options);
  if (isNullish(list)) return null;
  const elements = lists("$indexOfArray", [list])[0]!;
  const end = integerOption(to, "end", elements.length);
  return elements.findIndex(
    (element, i) => i >= integerOption(from, "start", 0) && i < end && compareExactly(element, value) === 0,
  );
}

function $sortArray(document: unknown, expression: unknown, options: Options): unknown {
  if (!isObject(expression)) throw new CommandError("FailedToParse", "$sortArray requires an object");
  const input = evaluate(document, expression["input"], options);
  if (isNullish(input)) return null;
  const list = lists("$sortArray", [input])[0]!;
  const { sortBy } = expression;
  if (!isObject(sortBy)) return [...list].sort((a, b) => toDouble(sortBy) * compareExactly(a, b));
  const fields = parseSort(sortBy) ?? [];
  const keyed = list.map((element) => ({ element, key: sortKey(isObject(element) ? element : {}, fields) }));
  return sortByKey(keyed).map(({ element }) => element);
}

/** Operators that compare the elements of arrays, or test them. */
export const listOperators: Readonly<Record<string, Operator>> = {
  $anyElementTrue: anyElement(true),
  $allElementsTrue: (document, expression, options) => !anyElement(false)(document, expression, options),
  $in,
  $indexOfArray,
  $sortArray,
  $setUnion: onSets("$setUnion", (sets) => new Distinct(sets.flat(1)).values),
  $setIntersection: onSets("$setIntersection", ([first = [], ...others]) => {
    const rest = others.map((set) => new Distinct(set));
    return new Distinct(first.filter((value) => rest.every((set) => set.has(value)))).values;
  }),
  $setDifference: onSets("$setDifference", ([first = [], second = []]) => {
    const removed = new Distinct(second);
    return new Distinct(first.filter((value) => !removed.has(value))).values;
  }),
  $setEquals: onSets("$setEquals", ([first = [], ...others]) =>
    others.every((set) => isSubset(set, first) && isSubset(first, set)),
  ),
  $setIsSubset: onSets("$setIsSubset", ([first = [], second = []]) => isSubset(first, second)),
};
