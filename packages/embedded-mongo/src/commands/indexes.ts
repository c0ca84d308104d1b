import { CommandError } from "../errors.ts";
import { describeKey } from "../storage/duplicate-key.ts";
import { parseIndexSpec } from "../index/spec.ts";
import { encode, pack } from "../values/codec.ts";
import { toPlain } from "../values/plain.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { arrayField, requireTarget, targetName } from "./arguments.ts";
import type { Handler } from "./context.ts";

const createIndexes: Handler = (command, { catalog, db }) => {
  const specs = arrayField(command, "indexes").map((raw) => {
    if (!isObject(raw)) throw new CommandError("TypeMismatch", "The elements of 'indexes' must be objects");
    return parseIndexSpec(raw);
  });
  const existed = catalog.find(db, targetName(command)) !== undefined;
  const collection = catalog.ensure(db, targetName(command));
  const numIndexesBefore = collection.specs.length;
  const created: string[] = [];
  try {
    for (const spec of specs) if (collection.createIndex(spec)) created.push(spec.name);
  } catch (error) {
    for (const name of created) collection.dropIndex(name);
    throw error;
  }
  const numIndexesAfter = collection.specs.length;
  return {
    numIndexesBefore,
    numIndexesAfter,
    createdCollectionAutomatically: !existed,
    ...(created.length === 0 && { note: "all indexes already exist" }),
  };
};

const listIndexes: Handler = (command, context) => {
  const collection = requireTarget(command, context);
  const documents = collection.specs.map(({ name, definition }) =>
    pack(encode(name === "_id_" ? { v: 2, key: { _id: 1 }, name } : definition)),
  );
  return context.cursors.open(collection.namespace, documents, documents.length);
};

const dropIndexes: Handler = (command, context) => {
  const collection = requireTarget(command, context);
  const nIndexesWas = collection.specs.length;
  const names = collection.specs.map(({ name }) => name).filter((name) => name !== "_id_");
  const { index } = command;
  if (index === "_id_") throw new CommandError("InvalidOptions", "cannot drop _id index");
  if (index === "*") for (const name of names) collection.dropIndex(name);
  else if (Array.isArray(index)) for (const name of index) collection.dropIndex(String(name));
  else if (isObject(index)) collection.dropIndex(nameOfKey(collection.specs, index));
  else collection.dropIndex(String(index));
  return { nIndexesWas };
};

function nameOfKey(specs: readonly { name: string; definition: PlainObject }[], key: PlainObject): string {
  const wanted = JSON.stringify(toPlain(key));
  const found = specs.find((spec) => describeKey(spec as Parameters<typeof describeKey>[0]) === wanted);
  if (!found) throw new CommandError("IndexNotFound", `can't find index with key: ${wanted}`);
  return found.name;
}

/** Only the TTL of an index can be changed afterwards. */
const collMod: Handler = (command, context) => {
  const collection = requireTarget(command, context);
  const { index } = command;
  if (!isObject(index))
    throw new CommandError("InvalidOptions", "The embedded database changes indexes only with collMod");
  const name =
    typeof index["name"] === "string"
      ? index["name"]
      : nameOfKey(collection.specs, index["keyPattern"] as PlainObject);
  const spec = collection.specs.find((candidate) => candidate.name === name);
  if (!spec)
    throw new CommandError("IndexNotFound", `cannot find index ${name} for ns ${collection.namespace}`);
  collection.dropIndex(name);
  collection.createIndex(
    parseIndexSpec({ ...spec.definition, expireAfterSeconds: index["expireAfterSeconds"] }),
  );
  return {};
};

export const indexCommands: Record<string, Handler> = {
  createIndexes,
  listIndexes,
  dropIndexes,
  deleteIndexes: dropIndexes,
  collMod,
};
