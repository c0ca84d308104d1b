import { CHANGE_WEIGHT, isPauseDue, PAUSE, type Pausing, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { selectOne } from "../query/select.ts";
import { duplicateKey, ID_INDEX, type IndexSpec } from "../index/spec.ts";
import type { Catalog } from "../storage/catalog.ts";
import type { Collection } from "../storage/collection.ts";
import { compilePipelineUpdate } from "../update/compile.ts";
import { sameCollation } from "../values/collation.ts";
import { decodeExact, type PackedDocument, unpack } from "../values/codec.ts";
import { getValue, splitPath } from "../values/path.ts";
import type { PipelineMemory } from "./memory-limit.ts";
import { isObject, type PlainObject } from "../values/types.ts";

function readTarget(raw: unknown, db: string): { db: string; name: string } {
  if (typeof raw === "string") return { db, name: raw };
  if (isObject(raw) && typeof raw["coll"] === "string") {
    return { db: typeof raw["db"] === "string" ? raw["db"] : db, name: raw["coll"] };
  }
  throw new CommandError("FailedToParse", "$out and $merge need the name of a collection");
}

/** Replaces a collection once all documents are written; if one is rejected, the old collection stays. */
export function* writeOut(
  catalog: Catalog,
  db: string,
  raw: unknown,
  documents: Pausing<PackedDocument>,
): Task<void> {
  const target = readTarget(raw, db);
  const specs = catalog.find(target.db, target.name)?.specs ?? [];
  const fresh = catalog.createTemporary(target.db);
  const idIndex = specs.find(({ name }) => name === ID_INDEX);
  if (idIndex?.collation) fresh.setIdIndex(idIndex);
  let isDone = false;
  try {
    for (const spec of specs) yield* fresh.createIndex(spec);
    for (const document of documents) {
      if (document === PAUSE) yield PAUSE;
      else {
        fresh.insert(unpack(document));
        if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
      }
    }
    isDone = true;
  } finally {
    if (!isDone && catalog.find(fresh.db, fresh.name) === fresh) catalog.drop(fresh);
  }
  const old = catalog.find(target.db, target.name);
  if (old) catalog.drop(old);
  catalog.rename(fresh, target.db, target.name);
}

interface MergeRules {
  readonly on: readonly string[];
  /** The unique index over the fields of `on`. */
  readonly index: IndexSpec;
  readonly whenMatched: unknown;
  readonly whenNotMatched: unknown;
}

/** Merges results into a collection one document at a time. */
export function* writeMerge(
  catalog: Catalog,
  db: string,
  raw: unknown,
  documents: Pausing<PackedDocument>,
  memory: PipelineMemory,
): Task<void> {
  const spec: PlainObject = isObject(raw) ? raw : { into: raw };
  const target = readTarget(spec["into"], db);
  const on: unknown[] = Array.isArray(spec["on"]) ? spec["on"] : [spec["on"] ?? "_id"];
  const collection = catalog.ensure(target.db, target.name);
  const rules: MergeRules = {
    on: on.map(String),
    index: uniqueIndex(collection, on.map(String)),
    whenMatched: spec["whenMatched"] ?? "merge",
    whenNotMatched: spec["whenNotMatched"] ?? "insert",
  };
  // Reads all results before the first change, because the pipeline can read the same collection.
  for (const document of yield* memory.collect(documents)) {
    yield* mergeOne(collection, document, rules);
    if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
  }
}

function uniqueIndex({ specs, collation }: Collection, on: readonly string[]): IndexSpec {
  const found = specs.find(
    ({ unique, partialFilter, fields, collation: index }) =>
      unique &&
      sameCollation(index, collation) &&
      !partialFilter &&
      fields.length === on.length &&
      fields.every(({ path }) => on.includes(path)),
  );
  if (found) return found;
  throw new CommandError("Location51183", "Cannot find index to verify that join fields will be unique");
}

function* mergeOne(
  collection: Collection,
  packed: PackedDocument,
  { on, index, whenMatched, whenNotMatched }: MergeRules,
): Task<void> {
  const document: PlainObject = decodeExact(unpack(packed));
  const filter: PlainObject = {};
  for (const field of on) filter[field] = getValue(document, splitPath(field)) ?? null;
  const record = yield* selectOne(collection, { filter, collation: collection.collation });
  if (!record) {
    if (whenNotMatched === "fail")
      throw new CommandError(
        "MergeStageNoMatchingDocument",
        "$merge could not find a matching document in the target collection for at least one document in the source collection",
      );
    if (whenNotMatched === "insert") collection.insert(unpack(packed));
    return;
  }
  const before = collection.document(record);
  const id = { _id: before["_id"] };
  if (Array.isArray(whenMatched)) {
    collection.replace(record, before, { ...compilePipelineUpdate(whenMatched)(before, false), ...id });
  } else if (whenMatched === "replace") collection.replace(record, before, { ...document, ...id });
  else if (whenMatched === "merge") collection.replace(record, before, { ...before, ...document, ...id });
  else if (whenMatched === "fail") throw duplicateKey(collection.namespace, index, document);
  else if (whenMatched !== "keepExisting")
    throw new CommandError("FailedToParse", "Unknown $merge whenMatched mode");
}
