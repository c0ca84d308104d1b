import type { Code } from "bson";

/** Rank of each BSON type in MongoDB's comparison order; also the first byte of an encoded key. */
export const Rank = {
  MinKey: 1,
  Undefined: 2,
  Null: 5,
  Number: 10,
  String: 15,
  Object: 20,
  Array: 25,
  Binary: 30,
  ObjectId: 35,
  Boolean: 40,
  Date: 45,
  Timestamp: 47,
  RegExp: 50,
  Code: 60,
  MaxKey: 127,
} as const;

export type PlainObject = Record<string, unknown>;

/** The `_bsontype` of a BSON wrapper; undefined for other values. */
export const bsonType = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? (value as { _bsontype?: string })._bsontype : undefined;

/** A document or sub-document (not an array, a date or one of the BSON wrappers). */
export const isObject = (value: unknown): value is PlainObject => {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const REFERENCE_FIELDS = new Set(["$ref", "$id", "$db"]);

/** Whether a name is an operator rather than a field. The only fields that start with "$" in a query are those of references (DBRef). */
export const isOperatorName = (name: string | undefined): boolean =>
  name?.startsWith("$") === true && !REFERENCE_FIELDS.has(name);

/** Whether a value of a filter consists of operators. */
export const isOperatorObject = (value: unknown): value is PlainObject =>
  isObject(value) && isOperatorName(Object.keys(value)[0]);

export const hasOwn = (object: PlainObject, key: string): boolean => Object.hasOwn(object, key);

export const isNullish = (value: unknown): boolean => value === null || value === undefined;

const WRAPPERS: Record<string, readonly [rank: number, name: string]> = {
  Int32: [Rank.Number, "int"],
  Double: [Rank.Number, "double"],
  Long: [Rank.Number, "long"],
  Decimal128: [Rank.Number, "decimal"],
  ObjectId: [Rank.ObjectId, "objectId"],
  Binary: [Rank.Binary, "binData"],
  BSONSymbol: [Rank.String, "symbol"],
  Timestamp: [Rank.Timestamp, "timestamp"],
  BSONRegExp: [Rank.RegExp, "regex"],
  Code: [Rank.Code, "javascript"],
  MinKey: [Rank.MinKey, "minKey"],
  MaxKey: [Rank.MaxKey, "maxKey"],
};

export function rankOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      return Rank.String;
    case "number":
    case "bigint":
      return Rank.Number;
    case "boolean":
      return Rank.Boolean;
    case "undefined":
      return Rank.Undefined;
    default:
  }
  if (value === null) return Rank.Null;
  if (Array.isArray(value)) return Rank.Array;
  if (value instanceof Date) return Rank.Date;
  if (value instanceof RegExp) return Rank.RegExp;
  const wrapper = bsonType(value);
  return wrapper === undefined ? Rank.Object : (WRAPPERS[wrapper]?.[0] ?? Rank.Object);
}

/** The type name used by `$type` and error messages. */
export function typeName(value: unknown): string {
  const wrapper = bsonType(value);
  if (wrapper === "Code" && (value as Code).scope) return "javascriptWithScope";
  const name = wrapper === undefined ? undefined : WRAPPERS[wrapper]?.[1];
  if (name !== undefined) return name;
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (Array.isArray(value)) return "array";
  if (value instanceof Date) return "date";
  if (value instanceof RegExp) return "regex";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return (value | 0) === value && !Object.is(value, -0) ? "int" : "double";
    case "bigint":
      return "long";
    default:
      return "object";
  }
}
