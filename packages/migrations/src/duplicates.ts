import type { Collection, mongo } from "mongoose";

/** Values that are shown, and documents of each. */
const SHOWN = 10;
const SHOWN_IDS = 5;

/** What a unique index of these fields finds more than once, a line for each value. */
export async function describeDuplicates(
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
