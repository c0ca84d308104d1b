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

export const hasOwn = (object: PlainObject, key: string): boolean => Object.hasOwn(object, key);

const WRAPPER_RANK: Record<string, number> = {
  Int32: Rank.Number,
  Double: Rank.Number,
  Long: Rank.Number,
  Decimal128: Rank.Number,
  ObjectId: Rank.ObjectId,
  Binary: Rank.Binary,
  BSONSymbol: Rank.String,
  Timestamp: Rank.Timestamp,
  BSONRegExp: Rank.RegExp,
  Code: Rank.Code,
  MinKey: Rank.MinKey,
  MaxKey: Rank.MaxKey,
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
  return wrapper === undefined ? Rank.Object : (WRAPPER_RANK[wrapper] ?? Rank.Object);
}

/** The type name used by `$type` and error messages. */
export function typeName(value: unknown): string {
  const wrapper = bsonType(value);
  switch (wrapper) {
    case "Int32":
      return "int";
    case "Double":
      return "double";
    case "Long":
      return "long";
    case "Decimal128":
      return "decimal";
    case "ObjectId":
      return "objectId";
    case "Binary":
      return "binData";
    case "BSONSymbol":
      return "symbol";
    case "Timestamp":
      return "timestamp";
    case "BSONRegExp":
      return "regex";
    case "Code":
      return (value as Code).scope ? "javascriptWithScope" : "javascript";
    case "MinKey":
      return "minKey";
    case "MaxKey":
      return "maxKey";
    default:
  }
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
