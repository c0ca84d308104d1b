import { CommandError } from "../errors.ts";
import { select } from "../query/select.ts";
import type { Catalog } from "../storage/catalog.ts";
import { decodePlain, unpack } from "../values/codec.ts";
import { collectValues, splitPath } from "../values/path.ts";
import { setField } from "../values/plain.ts";
import { isObject, type PlainObject } from "../values/types.ts";

/** `$lookup` by equality of two fields: one indexed query per document. */
export function lookupStage(
  catalog: Catalog,
  db: string,
  { from, localField, foreignField, as }: PlainObject,
  documents: readonly PlainObject[],
): PlainObject[] {
  if (
    typeof from !== "string" ||
    typeof localField !== "string" ||
    typeof foreignField !== "string" ||
    typeof as !== "string"
  ) {
    throw new CommandError(
      "FailedToParse",
      "$lookup needs the strings from, localField, foreignField and as",
    );
  }
  const foreign = catalog.find(db, from);
  const path = splitPath(localField);
  return documents.map((document) => {
    const wanted = collectValues(document, path).flatMap((value) =>
      Array.isArray(value) ? (value as unknown[]) : [value ?? null],
    );
    const matches = foreign ? select(foreign, { filter: { [foreignField]: { $in: wanted } } }).records : [];
    return withField(
      document,
      as.split("."),
      matches.map(({ data }) => decodePlain(unpack(data))),
    );
  });
}

function withField(document: PlainObject, [head, ...rest]: string[], value: unknown): PlainObject {
  const copy = { ...document };
  const inner = copy[head!];
  setField(copy, head!, rest.length === 0 ? value : withField(isObject(inner) ? inner : {}, rest, value));
  return copy;
}
