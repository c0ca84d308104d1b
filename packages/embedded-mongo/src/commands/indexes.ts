import { EJSON, ObjectId } from "bson";
import { CHANGE_WEIGHT, isPauseDue, PAUSE } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { findSpec, type IndexSpec, parseIndexSpec } from "../index/spec.ts";
import type { Collection } from "../storage/collection.ts";
import type { SearchEntry, SearchWord } from "../storage/search-index.ts";
import { encode, pack } from "../values/codec.ts";
import { integerOption } from "../values/numbers.ts";
import { bsonType, isObject, type PlainObject, typeName } from "../values/types.ts";
import { arrayField, type Handler, objectField, requireTarget, targetName } from "./context.ts";

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

/*
 * Commands for full-text indexes, which MongoDB doesn't have in this form. An index is created by its first entry and deleted by `drop`.
 * Tokens are strings without spaces whose only ASCII characters are letters, digits, `:` and `~`; ids and places are ObjectIds.
 */

const FORBIDDEN = /[\0-/;-@[-`{-}\x7f]/;

/**
 * `{fanfareSearchPut: name, entries: [{_id, place, rev, tokens}], deleted: [_id]}`: adds or replaces entries, but none by an entry with
 * a lower `rev`, and deletes others.
 */
const put: Handler = function* (command, { catalog, db }) {
  const entries = arrayField(command, "entries").map(entryOf);
  const deleted = arrayField(command, "deleted").map((id) => objectId(id, "deleted"));
  const name = targetName(command);
  for (const entry of entries) {
    // Looked up each time, because the index can be dropped during a pause.
    catalog.ensureSearch(db, name).put(entry);
    if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
  }
  for (const id of deleted) {
    catalog.findSearch(db, name)?.delete(id);
    if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
  }
  return {};
};

/**
 * `{fanfareSearchFind: name, places: [id], words: [{tokens, prefix?}], below: id, from: id, limit}`: `ids` of the newest entries in one of
 * the places that match all words, newest first, from the first id below `below` down to `from`.
 */
const find: Handler = (command, { catalog, db }) => {
  const places = arrayField(command, "places").map((place) => objectId(place, "places"));
  const words = arrayField(command, "words").map(wordOf);
  if (words.length === 0) throw new CommandError("BadValue", "words must not be empty");
  const limit = integerOption(command["limit"], "limit", 0);
  if (limit <= 0) throw new CommandError("BadValue", "limit must be positive");
  const below = objectId(command["below"], "below");
  const from = objectId(command["from"], "from");
  const index = catalog.findSearch(db, targetName(command));
  return { ids: index?.find({ places, words, below, from, limit }).map((id) => new ObjectId(id)) ?? [] };
};

/** `{fanfareSearchDelete: name, place, token?, limit}`: deletes up to `limit` entries of a place and returns their number as `n`. */
const remove: Handler = (command, { catalog, db }) => {
  const place = objectId(command["place"], "place");
  const token = command["token"] === undefined ? "" : tokenOf(command["token"]);
  const limit = integerOption(command["limit"], "limit", 0);
  return { n: catalog.findSearch(db, targetName(command))?.deletePlace(place, token, limit) ?? 0 };
};

function entryOf(given: unknown): SearchEntry {
  const entry = objectField({ entry: given }, "entry");
  return {
    id: objectId(entry["_id"], "_id"),
    place: objectId(entry["place"], "place"),
    rev: integerOption(entry["rev"], "rev", 0),
    tokens: arrayField(entry, "tokens").map(tokenOf),
  };
}

function wordOf(given: unknown): SearchWord {
  const word: PlainObject = isObject(given) ? given : {};
  const tokens = arrayField(word, "tokens").map(tokenOf);
  const prefix = word["prefix"] === undefined ? undefined : tokenOf(word["prefix"]);
  if (tokens.length === 0 && prefix === undefined)
    throw new CommandError("BadValue", "a word needs tokens or a prefix");
  return { tokens, prefix };
}

function tokenOf(given: unknown): string {
  if (typeof given !== "string" || given === "" || FORBIDDEN.test(given))
    throw new CommandError(
      "BadValue",
      "a token must be a string of letters, digits, ':', '~' and non-ASCII characters",
    );
  return given;
}

function objectId(given: unknown, field: string): Uint8Array {
  if (bsonType(given) === "ObjectId") return (given as ObjectId).id;
  throw new CommandError(
    "TypeMismatch",
    `BSON field '${field}' is the wrong type '${typeName(given)}', expected type 'objectId'`,
  );
}

export const searchCommands: Record<string, Handler> = {
  fanfareSearchPut: put,
  fanfareSearchFind: find,
  fanfareSearchDelete: remove,
};
