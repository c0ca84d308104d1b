import { EJSON } from "bson";
import { CommandError } from "../errors.ts";
import { findSpec, type IndexSpec, parseIndexSpec } from "../index/spec.ts";
import type { Collection } from "../storage/collection.ts";
import { encode, pack } from "../values/codec.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { arrayField, objectField, requireTarget, targetName, type Handler } from "./context.ts";

const createIndexes: Handler = function* (command, { catalog, db }) {
  const inherited = catalog.find(db, targetName(command))?.collation?.definition;
  const specs = arrayField(command, "indexes").map((raw) => {
    if (!isObject(raw)) throw new CommandError("TypeMismatch", "The elements of 'indexes' must be objects");
    return parseIndexSpec({ ...raw, collation: raw["collation"] ?? inherited });
  });
  const existed = catalog.find(db, targetName(command)) !== undefined;
  const collection = catalog.ensure(db, targetName(command));
  const numIndexesBefore = collection.specs.length;
  const created: string[] = [];
  let isDone = false;
  try {
    for (const spec of specs) if (yield* collection.createIndex(spec)) created.push(spec.name);
    isDone = true;
  } finally {
    if (!isDone && catalog.find(db, collection.name) === collection)
      for (const name of created) collection.dropIndex(name);
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
  const documents = collection.specs.map(({ definition }) => pack(encode(definition)));
  return context.cursors.open(collection.namespace, documents, documents.length);
};

const dropIndexes: Handler = (command, context) => {
  const collection = requireTarget(command, context);
  const nIndexesWas = collection.specs.length;
  const names = [...collection.specs.map(({ name }) => name), ...collection.unfinished].filter(
    (name) => name !== "_id_",
  );
  const { index } = command;
  if (index === "_id_") throw new CommandError("InvalidOptions", "cannot drop _id index");
  if (index === "*") for (const name of names) collection.dropIndex(name);
  else if (Array.isArray(index)) for (const name of index) collection.dropIndex(String(name));
  else if (isObject(index)) collection.dropIndex(requireSpec(collection, index).name);
  else collection.dropIndex(String(index));
  return { nIndexesWas };
};

function requireSpec({ specs, namespace }: Collection, index: string | PlainObject): IndexSpec {
  const found = findSpec(specs, index);
  if (!found)
    throw new CommandError(
      "IndexNotFound",
      `cannot find index ${typeof index === "string" ? index : EJSON.stringify(index)} for ns ${namespace}`,
    );
  return found;
}

/** Changes the TTL of an index, or hides it; nothing else can be changed. */
const collMod: Handler = (command, context) => {
  const collection = requireTarget(command, context);
  const { index } = command;
  if (!isObject(index))
    throw new CommandError("InvalidOptions", "The embedded database changes indexes only with collMod");
  const { name } = index;
  const spec = requireSpec(collection, typeof name === "string" ? name : objectField(index, "keyPattern"));
  const { hidden, expireAfterSeconds } = index;
  collection.changeIndex(
    spec.name,
    parseIndexSpec({
      ...spec.definition,
      ...(hidden !== undefined && { hidden }),
      ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
    }),
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
