import type { Collection, Connection, IndexOptions, Model, mongo } from "mongoose";
import { chunks } from "../work-queue.ts";
import { StartError } from "../errors.ts";
import type { Report } from "./migration.ts";

/** Collections whose indexes are read at a time: each read needs a connection, and at a start there is none yet. */
const READ_AT_ONCE = 4;
/** Index builds that take longer are logged individually. */
const SLOW_BUILD_MS = 1000;
/** The limits of duplicate values, and of documents per value, in an error message. */
const SHOWN = 10;
const SHOWN_IDS = 5;

interface Missing {
  model: Model<unknown>;
  key: Record<string, 1 | -1>;
  options: IndexOptions;
  name: string;
  /** Existing indexes with the same key or name but other options, to be dropped first. */
  replaces: string[];
}

/** The differences between declared and existing indexes. */
export interface IndexDifferences {
  missing: Missing[];
  /** Existing indexes that are no longer declared. */
  obsolete: { model: Model<unknown>; name: string }[];
}

export const shownIndex = ({ model, name }: { model: Model<unknown>; name: string }): string =>
  `${model.collection.name}.${name}`;

/** Compares the indexes of all collections that the connection has models for. */
export async function compareIndexes(connection: Connection): Promise<IndexDifferences> {
  const models: Model<unknown>[] = Object.values(connection.models);
  const all: IndexDifferences[] = [];
  for (const some of chunks(models, READ_AT_ONCE)) all.push(...(await Promise.all(some.map(compare))));
  return {
    missing: all.flatMap(({ missing }) => missing),
    obsolete: all.flatMap(({ obsolete }) => obsolete),
  };
}

async function compare(model: Model<unknown>): Promise<IndexDifferences> {
  // The typings don't include the options that `indexOptionsToCreate` adds.
  const difference = await model.diffIndexes({ indexOptionsToCreate: true });
  const toCreate = difference.toCreate as unknown as [Record<string, 1 | -1>, IndexOptions][];
  const present = difference.toDrop.length === 0 ? [] : await model.listIndexes();
  const missing = toCreate.map(([key, options]) => {
    const name = options.name ?? nameOf(key);
    const isReplaced = (other: { name?: string; key?: unknown }): boolean =>
      difference.toDrop.includes(String(other.name)) &&
      (other.name === name || JSON.stringify(other.key) === JSON.stringify(key));
    const replaces = present.filter(isReplaced).map((other) => String(other.name));
    return { model, key, options, name, replaces };
  });
  const replaced = new Set(missing.flatMap(({ replaces }) => replaces));
  const obsolete = difference.toDrop.filter((name) => !replaced.has(name));
  return { missing, obsolete: obsolete.map((name) => ({ model, name })) };
}

/**
 * Creates missing indexes: those of an empty collection together, others one at a time. Index builds don't block reads and writes.
 * @throws {StartError}
 */
export async function createIndexes(missing: readonly Missing[], report: Report): Promise<void> {
  if (missing.length === 0) return;
  const beganAt = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - beganAt);
  const ofEmpty = await createInEmptyCollections(missing);
  const others = missing.filter(({ model }) => !ofEmpty.has(model));
  let done = missing.length - others.length;
  for (const index of others) {
    const { model, replaces } = index;
    report.state(`creating the index ${shownIndex(index)} (${done} of ${missing.length} created)`);
    for (const other of replaces) await model.collection.dropIndex(other);
    const startedAt = elapsedMs();
    await createIndex(index);
    const durationMs = elapsedMs() - startedAt;
    if (durationMs >= SLOW_BUILD_MS) report.log("index created", { index: shownIndex(index), durationMs });
    done += 1;
  }
  report.log("all indexes created", { indexes: missing.length, durationMs: elapsedMs() });
}

/** One command per collection: a new database has some 150 indexes. Returns the models that were done. */
async function createInEmptyCollections(missing: readonly Missing[]): Promise<Set<Model<unknown>>> {
  const done = new Set<Model<unknown>>();
  const byModel = Map.groupBy(missing, ({ model }) => model);
  const create = async ([model, indexes]: [Model<unknown>, Missing[]]): Promise<void> => {
    const isNew = indexes.every(({ replaces }) => replaces.length === 0);
    if (!isNew || (await model.exists({})) !== null) return;
    const specs = indexes.map(({ key, options, name }) => ({ ...options, key, name }));
    await model.collection.createIndexes(specs as mongo.IndexDescription[]);
    done.add(model);
  };
  for (const some of chunks([...byModel], READ_AT_ONCE)) await Promise.all(some.map(create));
  return done;
}

async function createIndex(index: Missing): Promise<void> {
  const { model, key, options, name } = index;
  try {
    await model.collection.createIndex(key, { ...options, name } as mongo.CreateIndexesOptions);
  } catch (error) {
    if ((error as mongo.MongoServerError).code !== 11_000) throw error;
    const duplicates = await describeDuplicates(model.collection, Object.keys(key), options.sparse === true);
    throw new StartError(
      `The unique index ${shownIndex(index)} can't be created because several documents have the same value:\n${duplicates}\n` +
        "Delete or change all but one of each, then restart.",
      { cause: error },
    );
  }
}

export async function dropIndexes(obsolete: IndexDifferences["obsolete"], report: Report): Promise<void> {
  for (const index of obsolete) {
    await index.model.collection.dropIndex(index.name);
    report.log("unused index dropped", { index: shownIndex(index) });
  }
}

/** MongoDB's default name of an index. */
function nameOf(key: Record<string, unknown>): string {
  return Object.entries(key)
    .map(([path, direction]) => `${path}_${String(direction)}`)
    .join("_");
}

/** Lists duplicate values of a unique index, one per line. */
async function describeDuplicates(
  collection: Collection,
  fields: readonly string[],
  isSparse: boolean,
): Promise<string> {
  const value = Object.fromEntries(fields.map((field, n) => [`f${n}`, `$${field}`]));
  const found = await collection
    .aggregate<{ _id: Record<string, unknown>; ids: unknown[]; count: number }>(
      [
        ...(isSparse ? [{ $match: { $or: fields.map((field) => ({ [field]: { $exists: true } })) } }] : []),
        // Arrays have an index entry for each element.
        ...fields.map((field) => ({ $unwind: { path: `$${field}`, preserveNullAndEmptyArrays: true } })),
        { $group: { _id: { ...value, document: "$_id" } } },
        { $group: { _id: withoutDocument(value), ids: { $push: "$_id.document" }, count: { $sum: 1 } } },
        { $match: { count: { $gt: 1 } } },
        { $limit: SHOWN + 1 },
      ] as mongo.Document[],
      { allowDiskUse: true },
    )
    .toArray();
  const lines = found.slice(0, SHOWN).map(({ _id, ids, count }) => {
    const values = fields.map((field, n) => `${field}: ${shown(_id[`f${n}`])}`).join(", ");
    const more = count > SHOWN_IDS ? ` and ${count - SHOWN_IDS} more` : "";
    return `  ${values} in _id ${ids.slice(0, SHOWN_IDS).map(shown).join(", ")}${more}`;
  });
  return [...lines, ...(found.length > SHOWN ? ["  and more"] : [])].join("\n");
}

function withoutDocument(value: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(value).map((name) => [name, `$_id.${name}`]));
}

/** Formats an id as hex digits and a string without quotes. */
function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null).replaceAll('"', "");
}
