import { EJSON, ObjectId } from "bson";
import { CommandError } from "../errors.ts";
import { compileFilter } from "../query/matcher.ts";
import { isRegex } from "../query/regex.ts";
import { type Collation, parseCollation, sameCollation } from "../values/collation.ts";
import { encodeKey } from "../values/order.ts";
import { integerOption, isNumeric, isTruthy, toDouble } from "../values/numbers.ts";
import { collectValues, splitPath } from "../values/path.ts";
import { toPlain } from "../values/plain.ts";
import { isObject, isOperatorObject, type PlainObject } from "../values/types.ts";

const MAX_INDEX_FIELDS = 32;

/** The name of the index on `_id`, which is implicitly unique. */
export const ID_INDEX = "_id_";

/** A validated index specification with plain values. */
export interface IndexSpec {
  readonly name: string;
  /** Field paths with their direction; text fields are in `textWeights` instead. */
  readonly fields: readonly { readonly path: string; readonly direction: 1 | -1 }[];
  readonly textWeights?: ReadonlyMap<string, number>;
  readonly unique: boolean;
  readonly sparse: boolean;
  /** Queries don't use a hidden index, not even with a hint. */
  readonly hidden: boolean;
  readonly partialFilter?: PlainObject;
  /** With a collation, the index only supports equality for strings, because their keys are not ordered. */
  readonly collation: Collation | undefined;
  readonly expireAfterSeconds?: number;
  /** The specification returned by `listIndexes` and stored in the catalog. */
  readonly definition: PlainObject;
}

const ACCEPTED_OPTIONS = new Set([
  "v",
  "key",
  "name",
  "ns",
  "unique",
  "sparse",
  "background",
  "expireAfterSeconds",
  "partialFilterExpression",
  "weights",
  "default_language",
  "language_override",
  "textIndexVersion",
  "hidden",
  "collation",
]);

/**
 * Validates an element of `createIndexes`.
 * @throws CommandError CannotCreateIndex, BadValue or InvalidOptions
 */
export function parseIndexSpec(raw: PlainObject): IndexSpec {
  const { key } = raw;
  if (!isObject(key) || Object.keys(key).length === 0) {
    throw new CommandError("CannotCreateIndex", "Index keys cannot be empty.");
  }
  if (typeof raw["name"] !== "string" || raw["name"] === "") {
    throw new CommandError(
      "FailedToParse",
      "The 'name' field is a required property of an index specification",
    );
  }
  for (const option of Object.keys(raw)) {
    if (!ACCEPTED_OPTIONS.has(option)) {
      throw new CommandError("InvalidOptions", `The embedded database has no index option '${option}'`);
    }
  }
  const collation = parseCollation(raw["collation"]);
  // ICU's numeric ordering isn't transitive: different strings can equal the same third one.
  if (collation?.numericOrdering === true)
    throw new CommandError("InvalidOptions", "The embedded database has no index with numericOrdering");
  const names = Object.keys(key);
  if (names.length > MAX_INDEX_FIELDS) {
    throw new CommandError("CannotCreateIndex", `Index has more than ${MAX_INDEX_FIELDS} fields`);
  }
  const { fields, textWeights } = parseFields(key, raw);
  if (textWeights && isTruthy(raw["unique"]))
    throw new CommandError("CannotCreateIndex", "A text index cannot be unique");
  if (textWeights && collation)
    throw new CommandError(
      "CannotCreateIndex",
      "Index type 'text' does not support collation: create it with {collation: {locale: 'simple'}}",
    );
  const partialFilter = raw["partialFilterExpression"];
  if (partialFilter !== undefined && !isObject(partialFilter)) {
    throw new CommandError("CannotCreateIndex", "partialFilterExpression must be an object");
  }
  if (partialFilter) checkPartialFilter(partialFilter);
  const sparse = isTruthy(raw["sparse"]);
  if (sparse && partialFilter) {
    throw new CommandError("CannotCreateIndex", 'cannot mix "partialFilterExpression" and "sparse" options');
  }
  return {
    name: raw["name"],
    fields,
    ...(textWeights && { textWeights }),
    unique: isTruthy(raw["unique"]) || raw["name"] === ID_INDEX,
    sparse,
    hidden: isTruthy(raw["hidden"]),
    ...(partialFilter && { partialFilter }),
    collation,
    ...parseExpiry(raw, names),
    definition: { v: 2, ...withoutTransient(raw), ...(collation && { collation: collation.definition }) },
  };
}

function checkPartialFilter(filter: PlainObject): void {
  compileFilter(filter);
  for (const [name, operand] of Object.entries(filter)) {
    if ((name === "$and" || name === "$or") && Array.isArray(operand))
      for (const part of operand) checkPartialFilter(part as PlainObject);
    else if (name.startsWith("$")) throw unsupportedInPartialIndex(name);
    else checkPartialOperand(operand);
  }
}

const PARTIAL_OPERATORS = new Set(["$eq", "$gt", "$gte", "$in", "$lt", "$lte", "$type"]);

function checkPartialOperand(operand: unknown): void {
  if (isRegex(operand)) throw unsupportedInPartialIndex("$regex");
  if (!isOperatorObject(operand)) return;
  for (const [name, value] of Object.entries(operand)) {
    const isAllowed = PARTIAL_OPERATORS.has(name) || (name === "$exists" && isTruthy(value));
    if (!isAllowed) throw unsupportedInPartialIndex(name);
  }
}

const unsupportedInPartialIndex = (name: string) =>
  new CommandError("CannotCreateIndex", `Expression not supported in partial index: ${name}`);

function parseFields(key: PlainObject, raw: PlainObject): Pick<IndexSpec, "fields" | "textWeights"> {
  const fields: { path: string; direction: 1 | -1 }[] = [];
  const weights = new Map<string, number>();
  const declared = isObject(raw["weights"]) ? raw["weights"] : {};
  for (const [path, kind] of Object.entries(key)) {
    if (path === "" || path.startsWith("$") || path.split(".").includes("")) {
      throw new CommandError("CannotCreateIndex", `Index key contains an illegal field name: '${path}'`);
    }
    if (kind === "text") weights.set(path, declared[path] === undefined ? 1 : toDouble(declared[path]));
    else if (isNumeric(kind) && toDouble(kind) !== 0)
      fields.push({ path, direction: toDouble(kind) > 0 ? 1 : -1 });
    else if (typeof kind === "string") {
      throw new CommandError("CannotCreateIndex", `The embedded database has no index of type '${kind}'`);
    } else {
      throw new CommandError("CannotCreateIndex", "Values in the index key pattern must be 1, -1 or 'text'");
    }
  }
  return weights.size > 0 ? { fields, textWeights: weights } : { fields };
}

function parseExpiry(raw: PlainObject, names: string[]): { expireAfterSeconds?: number } {
  if (raw["expireAfterSeconds"] === undefined) return {};
  const expireAfterSeconds = integerOption(raw["expireAfterSeconds"], "expireAfterSeconds", 0);
  if (expireAfterSeconds < 0) {
    throw new CommandError("CannotCreateIndex", "TTL index 'expireAfterSeconds' option must be 0 or more");
  }
  if (names.length !== 1) {
    throw new CommandError(
      "CannotCreateIndex",
      "TTL indexes are single-field indexes, compound indexes do not support TTL",
    );
  }
  return { expireAfterSeconds };
}

function withoutTransient(raw: PlainObject): PlainObject {
  const { background: _background, ns: _ns, v: _v, collation: _collation, ...kept } = raw;
  return kept;
}

/** @param index the name or key pattern */
export function findSpec(specs: readonly IndexSpec[], index: string | PlainObject): IndexSpec | undefined {
  if (typeof index === "string") return specs.find(({ name }) => name === index);
  const wanted = encodeKey(index);
  return specs.find(({ definition }) => encodeKey(definition["key"]) === wanted);
}

const sameOptions = (a: IndexSpec, b: IndexSpec): boolean =>
  a.unique === b.unique && a.sparse === b.sparse && a.expireAfterSeconds === b.expireAfterSeconds;

/** Whether key pattern and options are the same, regardless of the name. */
export const sameIndex = (a: IndexSpec, b: IndexSpec): boolean => sameKeyPattern(a, b) && sameOptions(a, b);

/** Whether two indexes have the same fields, collation and partial filter. */
export const sameKeyPattern = (a: IndexSpec, b: IndexSpec): boolean =>
  encodeKey(a.definition["key"]) === encodeKey(b.definition["key"]) &&
  sameCollation(a.collation, b.collation) &&
  encodeKey(a.partialFilter ?? null) === encodeKey(b.partialFilter ?? null);

const shown = (value: unknown): string => {
  const plain = toPlain(value);
  if (plain instanceof ObjectId) return `ObjectId('${plain.toHexString()}')`;
  return EJSON.stringify(plain);
};

export const describeKey = (spec: IndexSpec): string => JSON.stringify(toPlain(spec.definition["key"]));

/** Error 11000 in MongoDB's format; drivers and mongoose read `keyPattern`, `keyValue` and the index name. */
export function duplicateKey(namespace: string, spec: IndexSpec, document: PlainObject): CommandError {
  const keyValue: PlainObject = {};
  for (const { path } of spec.fields) {
    const value = collectValues(document, splitPath(path))[0];
    keyValue[path] = (Array.isArray(value) ? value[0] : value) ?? null;
  }
  const listed = Object.entries(keyValue).map(([path, value]) => `${path}: ${shown(value)}`);
  return new CommandError(
    "DuplicateKey",
    `E11000 duplicate key error collection: ${namespace} index: ${spec.name} dup key: { ${listed.join(", ")} }`,
    { keyPattern: spec.definition["key"] as PlainObject, keyValue },
  );
}
