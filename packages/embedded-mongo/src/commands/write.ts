import { CHANGE_WEIGHT, isPauseDue, PAUSE } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { checkSelection, selectOne, selectToChange } from "../query/select.ts";
import { encode } from "../values/codec.ts";
import { integerOption } from "../values/numbers.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { arrayField, findTarget, objectField, queryOptions, targetName } from "./arguments.ts";
import type { Handler } from "./context.ts";
import { runUpdate } from "./run-update.ts";
import { runStatements } from "./write-result.ts";

/** Larger inserts don't displace cached documents. */
const MAX_KEPT = 500;

const asObject = (statement: unknown): PlainObject => {
  if (!isObject(statement))
    throw new CommandError("TypeMismatch", "Each statement of a write command must be an object");
  return statement;
};

const insert: Handler = function* (command, { catalog, db }) {
  const documents = arrayField(command, "documents");
  const name = targetName(command);
  catalog.ensure(db, name);
  let n = 0;
  const errors = yield* runStatements(documents, command["ordered"] !== false, (document) => {
    // Looked up each time, because the collection can be dropped during a pause.
    const bytes = document instanceof Uint8Array ? document : encode(asObject(document));
    catalog.ensure(db, name).insert(bytes, undefined, documents.length <= MAX_KEPT);
    n++;
  });
  return { n, ...errors };
};

const update: Handler = function* (command, { catalog, db }) {
  const name = targetName(command);
  catalog.ensure(db, name);
  const updates = arrayField(command, "updates");
  const upserted: PlainObject[] = [];
  let n = 0;
  let nModified = 0;
  const errors = yield* runStatements(updates, command["ordered"] !== false, function* (raw, index) {
    const statement = asObject(raw);
    const collection = catalog.ensure(db, name);
    const result = yield* runUpdate(collection, {
      filter: objectField(statement, "q"),
      update: statement["u"],
      arrayFilters: statement["arrayFilters"],
      sort: statement["sort"],
      ...queryOptions(statement, collection),
      multi: statement["multi"] === true,
      upsert: statement["upsert"] === true,
    });
    n += result.matched;
    nModified += result.modified;
    if (result.upsertedId !== undefined) {
      n++;
      upserted.push({ index, _id: result.upsertedId });
    }
  });
  return { n, nModified, ...(upserted.length > 0 && { upserted }), ...errors };
};

const remove: Handler = function* (command, context) {
  const deletes = arrayField(command, "deletes");
  let n = 0;
  const errors = yield* runStatements(deletes, command["ordered"] !== false, function* (raw) {
    const collection = findTarget(command, context);
    const statement = asObject(raw);
    const filter = objectField(statement, "q");
    const limit = integerOption(statement["limit"], "limit", 0);
    const how = queryOptions(statement, collection);
    if (!collection) return checkSelection({ filter, ...how });
    if (limit === 1) {
      const record = yield* selectOne(collection, { filter, ...how });
      if (record) collection.remove(record);
      if (record) n++;
      return;
    }
    for (const record of selectToChange(collection, { filter, limit, ...how })) {
      if (record === PAUSE) yield PAUSE;
      else {
        collection.remove(record);
        n++;
        if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
      }
    }
  });
  return { n, ...errors };
};

export const writeCommands: Record<string, Handler> = { insert, update, delete: remove };
