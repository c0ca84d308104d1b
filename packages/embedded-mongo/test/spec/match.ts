import { BSON, EJSON, Long } from "bson";
import { type Document, MongoBulkWriteError, MongoError, MongoServerError } from "mongodb";

/** A difference between the expected and the actual result of a test. */
export class Mismatch extends Error {}

/** Looks up an entity that an expectation refers to. */
export type FindEntity = (name: string) => unknown;

const show = (value: unknown): string => {
  try {
    return EJSON.stringify(value) ?? "undefined";
  } catch {
    return String(value);
  }
};

const fail = (path: string, expected: unknown, actual: unknown): never => {
  throw new Mismatch(`${path}: expected ${show(expected)}, got ${show(actual)}`);
};

const isDocument = (value: unknown): value is Document =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !("_bsontype" in value) &&
  !(value instanceof Date) &&
  !(value instanceof RegExp) &&
  !(value instanceof Uint8Array);

/** The one `$$operator` of an expected document. */
function operatorOf(expected: unknown): [string, unknown] | undefined {
  if (!isDocument(expected)) return undefined;
  const [entry, ...more] = Object.entries(expected);
  return entry && more.length === 0 && entry[0].startsWith("$$") ? entry : undefined;
}

const BSON_TYPES: Readonly<Record<string, readonly string[]>> = {
  ObjectId: ["objectId"],
  Binary: ["binData"],
  Decimal128: ["number", "decimal"],
  Int32: ["number", "int"],
  Double: ["number", "double"],
  Long: ["number", "long"],
  Timestamp: ["timestamp"],
};

/** The possible types of a value on the wire, because the driver converts all numbers to doubles. */
function typesOf(value: unknown): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number")
    return ["number", "double", ...(Number.isInteger(value) ? ["int", "long"] : [])];
  if (typeof value === "boolean") return ["bool"];
  if (typeof value === "string") return ["string"];
  if (typeof value === "bigint") return ["long"];
  if (value instanceof Date) return ["date"];
  if (value instanceof Uint8Array) return ["binData"];
  const name = (value as { _bsontype?: string })._bsontype;
  return BSON_TYPES[name ?? ""] ?? ["object"];
}

const asNumber = (value: unknown): unknown => (Long.isLong(value) ? value.toNumber() : value);

/**
 * Compares values by the rules of the unified test format.
 * @param isRoot a root document can have additional fields
 * @throws {Mismatch}
 */
export function match(
  expected: unknown,
  actual: unknown,
  find: FindEntity,
  isRoot = true,
  path = "result",
): void {
  const operator = operatorOf(expected);
  if (operator) return matchOperator(operator, actual, find, isRoot, path);
  if (isDocument(expected)) return matchDocument(expected, actual, find, isRoot, path);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return fail(path, expected, actual);
    expected.forEach((item, i) => match(item, actual[i], find, isRoot, `${path}[${i}]`));
    return;
  }
  if (show(asNumber(expected)) !== show(asNumber(actual))) fail(path, expected, actual);
}

function matchDocument(
  expected: Document,
  actual: unknown,
  find: FindEntity,
  isRoot: boolean,
  path: string,
): void {
  if (!isDocument(actual)) return fail(path, expected, actual);
  for (const [key, value] of Object.entries(expected))
    match(value, actual[key], find, false, `${path}.${key}`);
  if (isRoot) return;
  for (const [key, value] of Object.entries(actual))
    if (value !== undefined && !(key in expected)) fail(`${path}.${key}`, undefined, value);
}

function matchOperator(
  [name, operand]: [string, unknown],
  actual: unknown,
  find: FindEntity,
  isRoot: boolean,
  path: string,
): void {
  const check = (holds: boolean) => holds || fail(path, { [name]: operand }, actual);
  switch (name) {
    case "$$exists":
      return void check((actual !== undefined) === operand);
    case "$$unsetOrMatches":
      if (actual !== undefined && actual !== null) match(operand, actual, find, isRoot, path);
      return;
    case "$$type": {
      const wanted = ([] as unknown[]).concat(operand);
      return void check(actual !== undefined && typesOf(actual).some((type) => wanted.includes(type)));
    }
    case "$$lte":
      return void check(Number(asNumber(actual)) <= Number(operand));
    case "$$matchesEntity":
      return match(find(String(operand)), actual, find, isRoot, path);
    case "$$sessionLsid":
      return match((find(String(operand)) as { id: unknown }).id, actual, find, false, path);
    case "$$matchesHexBytes":
      return void check(actual instanceof Uint8Array && Buffer.from(actual).toString("hex") === operand);
    case "$$matchAsDocument":
      return match(operand, EJSON.parse(String(actual)), find, false, path);
    case "$$matchAsRoot":
      return match(operand, actual, find, true, path);
    default:
      throw new Error(`unknown operator ${name}`);
  }
}

/** A command or reply as on the wire: without undefined fields, and with plain documents. */
export const plain = (document: Document): Document =>
  BSON.deserialize(BSON.serialize(document, { ignoreUndefined: true }), { promoteLongs: false });

/** Whether the error is a reply of the server. */
const isFromServer = (error: unknown): boolean =>
  error instanceof MongoServerError || (error instanceof MongoBulkWriteError && error.code !== undefined);

/** @throws {Mismatch} */
export function matchError(expected: Document, error: unknown, find: FindEntity): void {
  const { message, code, codeName, errorResponse, result } = error as Document;
  const response: Document = errorResponse ?? result ?? {};
  const check = (holds: boolean, field: string) => {
    if (!holds)
      throw new Mismatch(
        `error, ${field}: expected ${show(expected)}, got ${show(response)} ${String(error)}`,
      );
  };
  const has = (label: string) => error instanceof MongoError && error.hasErrorLabel(label);
  const labels = { contain: expected["errorLabelsContain"] ?? [], omit: expected["errorLabelsOmit"] ?? [] };
  const handlers: Record<string, (value: any) => void> = {
    isError: () => {},
    isClientError: (value) => check(isFromServer(error) !== value, "isClientError"),
    errorContains: (text: string) =>
      check(String(message).toLowerCase().includes(text.toLowerCase()), "errorContains"),
    errorCode: (value) => check(value === code || value === response["writeConcernError"]?.code, "errorCode"),
    errorCodeName: (value) =>
      check(
        [codeName, response["codeName"], response["writeConcernError"]?.codeName].includes(value),
        "errorCodeName",
      ),
    errorLabelsContain: () => check(labels.contain.every(has), "errorLabelsContain"),
    errorLabelsOmit: () => check(!labels.omit.some(has), "errorLabelsOmit"),
    errorResponse: (value) => match(value, response, find, true, "error response"),
    expectResult: (value) => match(value, result, find, true, "error result"),
  };
  for (const [field, value] of Object.entries(expected)) {
    const handler = handlers[field];
    if (!handler) throw new Error(`unknown error expectation: ${field}`);
    handler(value);
  }
}
