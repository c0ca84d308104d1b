import { CHANGE_WEIGHT, isPauseDue, PAUSE, type Task } from "./command-scope.ts";
import type { Collection } from "./storage/collection.ts";
import type { Catalog } from "./storage/catalog.ts";
import { selectToChange } from "./query/select.ts";

/** Maximum number of documents removed per collection and run. */
const MAX_REMOVED_PER_RUN = 5_000;

function* expireIndex(collection: Collection, field: string, before: Date): Task<number> {
  const expired = { filter: { [field]: { $lt: before } }, limit: MAX_REMOVED_PER_RUN };
  let removed = 0;
  for (const record of selectToChange(collection, expired)) {
    if (record === PAUSE) yield PAUSE;
    else {
      collection.remove(record);
      removed++;
      if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
    }
  }
  return removed;
}

/**
 * Removes expired documents. In an array of dates, the earliest applies.
 * @param now milliseconds since the epoch
 * @returns the number of removed documents
 */
export function* expireDocuments(catalog: Catalog, now: number): Task<number> {
  let removed = 0;
  for (const collection of catalog.collections()) {
    for (const { spec } of collection.indexes) {
      if (spec.expireAfterSeconds === undefined) continue;
      removed += yield* expireIndex(
        collection,
        spec.fields[0]!.path,
        new Date(now - spec.expireAfterSeconds * 1000),
      );
    }
  }
  return removed;
}
