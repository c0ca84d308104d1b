import type { Collection, Connection, IndexOptions, Model, mongo } from "mongoose";
import { DatabaseDuplicatesError, type Report } from "./migration.ts";

/** An index that took so long has a line of its own in the log. */
const WORTH_A_LINE_MS = 1000;
/** Values that are shown, and documents of each. */
const SHOWN = 10;
const SHOWN_IDS = 5;

interface Missing {
  model: Model<unknown>;
  key: Record<string, 1 | -1>;
  options: IndexOptions;
  name: string;
  /** One with the same key or name and other options, which makes way for it. */
  replaces: string[];
}

/** How the indexes that models declare differ from those of the database. */
export interface IndexDifferences {
  missing: Missing[];
  /** Declared no more: `collection.index`. */
  obsolete: { model: Model<unknown>; name: string }[];
}

export const shownIndex = ({ model, name }: { model: Model<unknown>; name: string }): string =>
  `${model.collection.name}.${name}`;

/** Of the collections that the connection has models of, and of no others. */
export async function compareIndexes(connection: Connection): Promise<IndexDifferences> {
  const models: Model<unknown>[] = Object.values(connection.models);
  const all = await Promise.all(models.map(compare));
  return {
    missing: all.flatMap(({ missing }) => missing),
    obsolete: all.flatMap(({ obsolete }) => obsolete),
  };
}

async function compare(model: Model<unknown>): Promise<IndexDifferences> {
  // Typed as keys alone, which is what it gives without the option.
  const difference = await model.diffIndexes({ indexOptionsToCreate: true });
  const toCreate = difference.toCreate as unknown as [Record<string, 1 | -1>, IndexOptions][];
  const present = difference.toDrop.length === 0 ? [] : await model.listIndexes();
  const missing = toCreate.map(([key, options]) => {
    const name = options.name ?? nameOf(key);
    const isInTheWay = (other: { name?: string; key?: unknown }): boolean =>
      difference.toDrop.includes(String(other.name)) &&
      (other.name === name || JSON.stringify(other.key) === JSON.stringify(key));
    const replaces = present.filter(isInTheWay).map((other) => String(other.name));
    return { model, key, options, name, replaces };
  });
  const replaced = new Set(missing.flatMap(({ replaces }) => replaces));
  const obsolete = difference.toDrop.filter((name) => !replaced.has(name));
  return { missing, obsolete: obsolete.map((name) => ({ model, name })) };
}

/**
 * Makes what is missing, one after the other: the server builds an index while others read and write.
 * @throws {DatabaseDuplicatesError}
 */
export async function makeIndexes(missing: readonly Missing[], report: Report): Promise<void> {
  if (missing.length === 0) return;
  const beganAt = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - beganAt);
  for (const [done, index] of missing.entries()) {
    const { model, replaces } = index;
    report.state(`making the index ${shownIndex(index)} (${done} of ${missing.length} are made)`);
    for (const other of replaces) await model.collection.dropIndex(other);
    const startedAt = elapsedMs();
    await makeIndex(index);
    const durationMs = elapsedMs() - startedAt;
    if (durationMs >= WORTH_A_LINE_MS)
      report.log("an index is made", { index: shownIndex(index), durationMs });
  }
  report.log("the indexes are made", { indexes: missing.length, durationMs: elapsedMs() });
}

async function makeIndex(index: Missing): Promise<void> {
  const { model, key, options, name } = index;
  try {
    await model.collection.createIndex(key, { ...options, name } as mongo.CreateIndexesOptions);
  } catch (error) {
    if ((error as mongo.MongoServerError).code !== 11_000) throw error;
    const duplicates = await describeDuplicates(model.collection, Object.keys(key), options.sparse === true);
    throw new DatabaseDuplicatesError(
      `The unique index ${shownIndex(index)} cannot be made, because several documents have the same value:\n${duplicates}\n` +
        "Delete or change all but one of each, and start again.",
      { cause: error },
    );
  }
}

export async function dropIndexes(obsolete: IndexDifferences["obsolete"], report: Report): Promise<void> {
  for (const index of obsolete) {
    await index.model.collection.dropIndex(index.name);
    report.log("an index that nothing uses any more is removed", { index: shownIndex(index) });
  }
}

/** As MongoDB names an index that has no name. */
function nameOf(key: Record<string, unknown>): string {
  return Object.entries(key)
    .map(([path, direction]) => `${path}_${String(direction)}`)
    .join("_");
}

/** What a unique index of these fields finds more than once, a line for each value. */
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
        // An array stands in the index once for each of its elements; anything else is left as it is.
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

/** An id as its digits, a text as it is. */
function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null).replaceAll('"', "");
}
