import { EJSON, ObjectId } from "bson";
import { CommandError } from "../errors.ts";
import type { IndexSpec } from "../index/spec.ts";
import { collectValues, splitPath } from "../values/path.ts";
import { toPlain } from "../values/plain.ts";
import type { PlainObject } from "../values/types.ts";

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
