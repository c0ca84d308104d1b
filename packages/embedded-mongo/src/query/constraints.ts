import { type Collation, sameCollation } from "../values/collation.ts";
import { encodeKey, type EncodeText } from "../values/order.ts";
import { toDouble } from "../values/numbers.ts";
import { isObject, isOperatorObject, type PlainObject, Rank, rankOf } from "../values/types.ts";
import { isRegex, literalPrefix } from "./regex.ts";

/** A bound of a range over encoded values; every key that starts with `key` counts as equal to it. */
export interface Bound {
  readonly key: string;
  readonly inclusive: boolean;
}

/** The constraints of a filter on one field that an index can use. */
export interface Constraint {
  equal?: { value: unknown; key: string };
  list?: string[];
  low?: Bound;
  high?: Bound;
}

export interface Constraints {
  readonly fields: ReadonlyMap<string, Constraint>;
  /** Whether the constraints are equivalent to the filter, so that index bounds can replace it. */
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

const RANGE_OPERATORS = new Set(["$gt", "$gte", "$lt", "$lte"]);

/** How an index can be used, depending on its collation and that of the query. */
interface Use {
  /** Whether it can be used for strings, because the collations are the same. */
  readonly texts: boolean;
  /** Whether the keys of strings are ordered and unique, because there is no collation. */
  readonly exact: boolean;
  readonly encodeText: EncodeText | undefined;
}

/** The constraints of a filter by collation of the index, cached. */
export function constraintsOf(
  filter: PlainObject,
  collation: Collation | undefined,
): (index: Collation | undefined) => Constraints {
  const known: { index: Collation | undefined; constraints: Constraints }[] = [];
  return (index) => {
    const found = known.find((other) => other.index === index);
    if (found) return found.constraints;
    const constraints = readConstraints(filter, collation, index);
    known.push({ index, constraints });
    return constraints;
  };
}

/** Extracts the constraints that an index can use from an exactly decoded filter, including `$and`. */
function readConstraints(filter: PlainObject, collation?: Collation, index?: Collation): Constraints {
  const use = { texts: sameCollation(collation, index), exact: !index, encodeText: index?.keyOf };
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
      if (!readField(operand, constraint, use)) state.complete = false;
      fields.set(key, constraint);
    }
  };
  visit(filter);
  return { fields, ...state };
}

/** @returns whether the constraint is equivalent to the operand */
function readField(operand: unknown, constraint: Constraint, use: Use): boolean {
  if (isRegex(operand)) return readPrefix(operand, constraint, use);
  if (!isOperatorObject(operand)) return readEqual(operand, constraint, use);
  let complete = true;
  for (const [operator, value] of Object.entries(operand)) {
    if (operator === "$eq") complete = readEqual(value, constraint, use) && complete;
    else if (operator === "$in") complete = readList(value, constraint, use) && complete;
    else if (RANGE_OPERATORS.has(operator))
      complete = readRange(operator, value, constraint, use) && complete;
    else if (operator === "$regex" && isRegex(value) && !("$options" in operand))
      complete = readPrefix(value, constraint, use);
    else complete = false;
  }
  closeRange(constraint);
  const kinds =
    Number(!!constraint.equal) + Number(!!constraint.list) + Number(!!(constraint.low ?? constraint.high));
  return complete && kinds === 1;
}

const isString: Test = (value) => rankOf(value) === Rank.String;

const isEqualable = (value: unknown, { texts }: Use): boolean =>
  isScalar(value) && (texts || !isString(value));

function readEqual(value: unknown, constraint: Constraint, use: Use): boolean {
  if (isEqualable(value, use)) {
    constraint.equal = { value, key: encodeKey(value, use.encodeText) };
    return use.exact || !isString(value);
  }
  if (value === null || value === undefined) constraint.equal = { value: null, key: encodeKey(null) };
  else if (isObject(value) && use.texts) constraint.equal = { value, key: encodeKey(value, use.encodeText) };
  return false;
}

function readList(value: unknown, constraint: Constraint, use: Use): boolean {
  if (!Array.isArray(value) || !value.every((item) => isEqualable(item, use))) return false;
  constraint.list = [...new Set(value.map((item) => encodeKey(item, use.encodeText)))].sort();
  return use.exact || !value.some(isString);
}

function readRange(operator: string, value: unknown, constraint: Constraint, use: Use): boolean {
  if (!isEqualable(value, use) || (!use.exact && isString(value))) return false;
  if (rankOf(value) === Rank.Number && Number.isNaN(toDouble(value))) return false;
  const side = operator.startsWith("$g") ? "low" : "high";
  const key = encodeKey(value);
  const other = side === "low" ? constraint.high : constraint.low;
  if (constraint[side] || (other && other.key[0] !== key[0])) return false;
  constraint[side] = { key, inclusive: operator.endsWith("e") };
  return true;
}

/** A range only contains values of one type. NaN, the lowest number, is in no range. */
function closeRange(constraint: Constraint): void {
  const tag = (constraint.low ?? constraint.high)?.key[0];
  if (tag === undefined) return;
  constraint.low ??=
    tag === NUMBER_TAG ? { key: `${tag}\0\0\0\0\0\0\0\0`, inclusive: false } : { key: tag, inclusive: true };
  constraint.high ??= { key: tag, inclusive: true };
}

/** Regular expressions have no collation. */
function readPrefix(regex: Parameters<typeof literalPrefix>[0], constraint: Constraint, use: Use): boolean {
  const prefix = literalPrefix(regex);
  if (use.exact && prefix !== undefined && !constraint.low && !constraint.high) {
    const key = encodeKey(prefix).slice(0, -1);
    constraint.low = { key, inclusive: true };
    constraint.high = { key, inclusive: true };
  }
  return false;
}
