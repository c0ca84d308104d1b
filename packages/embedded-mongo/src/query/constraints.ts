import type { Collation } from "../values/collation.ts";
import { encodeKey } from "../values/key.ts";
import { toDouble } from "../values/numbers.ts";
import { isObject, isOperatorName, type PlainObject, Rank, rankOf } from "../values/types.ts";
import { isRegex, literalPrefix } from "./regex.ts";

/** One end of a range over encoded values; every key that starts with `key` counts as equal to it. */
export interface Bound {
  readonly key: string;
  readonly inclusive: boolean;
}

/** What a filter demands of one field, as far as an index can use it. */
export interface Constraint {
  equal?: { value: unknown; key: string };
  list?: string[];
  low?: Bound;
  high?: Bound;
}

export interface Constraints {
  readonly fields: ReadonlyMap<string, Constraint>;
  /** True when the constraints say all the filter says, so that index bounds can replace the filter. */
  readonly complete: boolean;
  readonly anyOf: readonly PlainObject[] | undefined;
}

const SCALAR_RANKS = new Set<number>([
  Rank.Number,
  Rank.String,
  Rank.ObjectId,
  Rank.Boolean,
  Rank.Date,
  Rank.Timestamp,
  Rank.Binary,
]);

const NUMBER_TAG = String.fromCharCode(Rank.Number);

type Test = (value: unknown) => boolean;

const isScalar: Test = (value) => SCALAR_RANKS.has(rankOf(value));

const isOperators = (value: unknown): value is PlainObject =>
  isObject(value) && isOperatorName(Object.keys(value)[0]);

const RANGE_OPERATORS = new Set(["$gt", "$gte", "$lt", "$lte"]);

/**
 * Reads the indexable parts out of an exactly decoded filter, through `$and`. The indexes have no collation: with one, they
 * have the wrong order for strings.
 */
export function readConstraints(filter: PlainObject, collation?: Collation): Constraints {
  const isUsable = collation ? (value: unknown) => isScalar(value) && typeof value !== "string" : isScalar;
  const fields = new Map<string, Constraint>();
  const state: { complete: boolean; anyOf: PlainObject[] | undefined } = { complete: true, anyOf: undefined };
  const visit = (part: PlainObject): void => {
    for (const [key, operand] of Object.entries(part)) {
      if (key === "$and" && Array.isArray(operand))
        for (const item of operand) if (isObject(item)) visit(item);
      if (key === "$or" && Array.isArray(operand)) state.anyOf ??= operand.filter(isObject);
      if (key === "$and") continue;
      if (key.startsWith("$") || fields.has(key)) {
        state.complete = false;
        continue;
      }
      const constraint: Constraint = {};
      if (!readField(operand, constraint, isUsable)) state.complete = false;
      fields.set(key, constraint);
    }
  };
  visit(filter);
  return { fields, ...state };
}

/** @returns whether the constraint says all that the operand says */
function readField(operand: unknown, constraint: Constraint, isUsable: Test): boolean {
  if (isRegex(operand)) return readPrefix(operand, constraint);
  if (!isOperators(operand)) return readEqual(operand, constraint, isUsable);
  let complete = true;
  for (const [operator, value] of Object.entries(operand)) {
    if (operator === "$eq") complete = readEqual(value, constraint, isUsable) && complete;
    else if (operator === "$in") complete = readList(value, constraint, isUsable) && complete;
    else if (RANGE_OPERATORS.has(operator))
      complete = readRange(operator, value, constraint, isUsable) && complete;
    else if (operator === "$regex" && isRegex(value) && !("$options" in operand))
      complete = readPrefix(value, constraint);
    else complete = false;
  }
  closeRange(constraint);
  const kinds =
    Number(!!constraint.equal) + Number(!!constraint.list) + Number(!!(constraint.low ?? constraint.high));
  return complete && kinds === 1;
}

function readEqual(value: unknown, constraint: Constraint, isUsable: Test): boolean {
  if (isUsable(value)) {
    constraint.equal = { value, key: encodeKey(value) };
    return true;
  }
  if (value === null || value === undefined) constraint.equal = { value: null, key: encodeKey(null) };
  else if (isObject(value) && isUsable === isScalar) constraint.equal = { value, key: encodeKey(value) };
  return false;
}

function readList(value: unknown, constraint: Constraint, isUsable: Test): boolean {
  if (!Array.isArray(value) || !value.every(isUsable)) return false;
  constraint.list = [...new Set(value.map(encodeKey))].sort();
  return true;
}

function readRange(operator: string, value: unknown, constraint: Constraint, isUsable: Test): boolean {
  if (!isUsable(value) || Number.isNaN(rankOf(value) === Rank.Number ? toDouble(value) : 0)) return false;
  const side = operator.startsWith("$g") ? "low" : "high";
  const key = encodeKey(value);
  const other = side === "low" ? constraint.high : constraint.low;
  if (constraint[side] || (other && other.key[0] !== key[0])) return false;
  constraint[side] = { key, inclusive: operator.endsWith("e") };
  return true;
}

/** A range is over values of one type; of the numbers, NaN (the lowest key) is in no range. */
function closeRange(constraint: Constraint): void {
  const tag = (constraint.low ?? constraint.high)?.key[0];
  if (tag === undefined) return;
  constraint.low ??=
    tag === NUMBER_TAG ? { key: `${tag}\0\0\0\0\0\0\0\0`, inclusive: false } : { key: tag, inclusive: true };
  constraint.high ??= { key: tag, inclusive: true };
}

function readPrefix(regex: Parameters<typeof literalPrefix>[0], constraint: Constraint): boolean {
  const prefix = literalPrefix(regex);
  if (prefix !== undefined && !constraint.low && !constraint.high) {
    const key = encodeKey(prefix).slice(0, -1);
    constraint.low = { key, inclusive: true };
    constraint.high = { key, inclusive: true };
  }
  return false;
}
