import { evalExpr } from "mingo/core";
import { Lazy } from "mingo/lazy";
import { $group } from "mingo/operators/pipeline";
import { isPauseDue, PAUSE } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { extreme, Total } from "../expression/accumulators.ts";
import { Distinct } from "../expression/distinct.ts";
import type { Collation } from "../values/collation.ts";
import { isNumeric } from "../values/numbers.ts";
import { setField } from "../values/plain.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { type ExpressionOptions, expressionOptions } from "./context.ts";
import type { Documents, Environment, Stage } from "./pipeline.ts";

/** The state of one accumulator for one group. */
interface Accumulator {
  add(value: unknown): void;
  readonly result: unknown;
}

class Sum extends Total implements Accumulator {
  override add(value: unknown): void {
    if (isNumeric(value)) super.add(value);
  }
  get result(): unknown {
    return this.sum;
  }
}

class Average extends Sum {
  override get result(): unknown {
    return this.average;
  }
}

class Extreme implements Accumulator {
  readonly #sign: 1 | -1;
  readonly #collation: Collation | undefined;
  result: unknown = null;
  constructor(sign: 1 | -1, collation: Collation | undefined) {
    this.#sign = sign;
    this.#collation = collation;
  }
  add(value: unknown): void {
    this.result = extreme(this.#sign, [this.result, value], this.#collation);
  }
}

class First implements Accumulator {
  #isEmpty = true;
  result: unknown = null;
  add(value: unknown): void {
    if (this.#isEmpty) this.result = value;
    this.#isEmpty = false;
  }
}

class Last implements Accumulator {
  result: unknown = null;
  add(value: unknown): void {
    this.result = value;
  }
}

class List implements Accumulator {
  readonly result: unknown[] = [];
  add(value: unknown): void {
    this.result.push(value);
  }
}

class Unique implements Accumulator {
  readonly #values: Distinct;
  constructor(collation: Collation | undefined) {
    this.#values = new Distinct(collation);
  }
  add(value: unknown): void {
    this.#values.add(value);
  }
  get result(): unknown {
    return this.#values.values;
  }
}

interface AccumulatorKind {
  make(collation: Collation | undefined): Accumulator;
  readonly keepsValues: boolean;
}

/** Accumulators that process one value at a time. */
const ACCUMULATORS: Readonly<Record<string, AccumulatorKind>> = {
  $addToSet: { make: (collation) => new Unique(collation), keepsValues: true },
  $avg: { make: () => new Average(), keepsValues: false },
  $first: { make: () => new First(), keepsValues: false },
  $last: { make: () => new Last(), keepsValues: false },
  $max: { make: (collation) => new Extreme(1, collation), keepsValues: false },
  $min: { make: (collation) => new Extreme(-1, collation), keepsValues: false },
  $push: { make: () => new List(), keepsValues: true },
  $sum: { make: () => new Sum(), keepsValues: false },
};

interface Field {
  readonly name: string;
  readonly expression: unknown;
  readonly accumulator: AccumulatorKind | undefined;
}

function fieldOf([name, given]: [string, unknown]): Field {
  const operators = isObject(given) ? Object.keys(given) : [];
  const [operator] = operators;
  const expression = operator === undefined ? undefined : (given as PlainObject)[operator];
  const accumulator =
    operators.length === 1 && expression !== null && Object.hasOwn(ACCUMULATORS, operator!)
      ? ACCUMULATORS[operator!]
      : undefined;
  return { name, expression: accumulator ? expression : given, accumulator };
}

interface Group {
  readonly id: unknown;
  /** By field; undefined if the accumulator needs all documents together. */
  readonly states: readonly (Accumulator | undefined)[];
  readonly documents: PlainObject[];
}

/**
 * `$group`. Ids are compared as in MongoDB: 1 and 1.0 are one group, and each decimal has its own. Holds no documents if all
 * accumulators process one value at a time.
 */
export function group(specification: PlainObject, { memory, options: given }: Environment): Stage {
  if (!("_id" in specification))
    throw new CommandError("Location15955", "a group specification must include an _id");
  const { _id: idExpression, ...rest } = specification;
  const fields = Object.entries(rest).map(fieldOf);
  const overAll = Object.fromEntries(
    fields.flatMap(({ name, expression, accumulator }) => (accumulator ? [] : [[name, expression]])),
  );
  const keepsDocuments = Object.keys(overAll).length > 0;
  const options = expressionOptions(given);
  const { collation } = given;

  return function* (input: Documents): Generator<PlainObject | typeof PAUSE> {
    const ids = new Distinct(collation);
    const groups = new Map<unknown, Group>();
    for (const document of input) {
      if (document === PAUSE) {
        yield PAUSE;
        continue;
      }
      const id = ids.add(evalExpr(document, idExpression, options) ?? null);
      let found = groups.get(id);
      if (!found) {
        found = { id, states: fields.map(({ accumulator }) => accumulator?.make(collation)), documents: [] };
        groups.set(id, found);
        memory.keep([id, fields]);
      }
      if (keepsDocuments) {
        memory.keep(document);
        found.documents.push(document);
      }
      for (const [i, { expression, accumulator }] of fields.entries()) {
        if (!accumulator) continue;
        const value = evalExpr(document, expression, options);
        if (accumulator.keepsValues) {
          if (value === undefined) continue;
          memory.keep(value);
        }
        found.states[i]!.add(value ?? null);
      }
      if (isPauseDue(fields.length)) yield PAUSE;
    }
    for (const { id, states, documents } of groups.values()) {
      const computed = keepsDocuments ? groupOf(documents, id, overAll, options) : {};
      const result: PlainObject = { _id: id };
      for (const [i, { name }] of fields.entries())
        setField(result, name, states[i] ? states[i].result : computed[name]);
      yield result;
      if (isPauseDue(fields.length)) yield PAUSE;
    }
  };
}

/** Accumulators that mingo computes from all documents of a group. */
const groupOf = (
  documents: PlainObject[],
  id: unknown,
  fields: PlainObject,
  options: ExpressionOptions,
): PlainObject =>
  $group(Lazy(documents), { ...fields, _id: { $literal: id } }, options).next().value as PlainObject;
