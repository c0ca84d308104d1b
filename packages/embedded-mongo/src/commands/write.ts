import { CHANGE_WEIGHT, isPauseDue, PAUSE, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { checkSelection, selectOne, selectToChange } from "../query/select.ts";
import { encode } from "../values/codec.ts";
import { integerOption } from "../values/numbers.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { arrayField, findTarget, objectField, queryOptions, targetName, type Handler } from "./context.ts";
import { runUpdate } from "./run-update.ts";
import { compileProjection } from "../query/projection.ts";

export const findAndModify: Handler = function* (command, { catalog, db }) {
  const filter = objectField(command, "query");
  const name = targetName(command);
  const how = queryOptions(command, catalog.find(db, name));
  const project = compileProjection(command["fields"], filter, how);
  const shown = (document: Record<string, unknown> | null) =>
    document && project ? project(document, undefined) : document;
  if (command["remove"] === true) {
    if (command["update"] !== undefined || command["new"] === true) {
      throw new CommandError("FailedToParse", "Cannot specify both an update and remove=true");
    }
    const collection = catalog.find(db, name);
    const selection = { filter, sort: command["sort"], ...how };
    if (!collection) checkSelection(selection);
    const record = collection && (yield* selectOne(collection, selection));
    if (!collection || !record) return { lastErrorObject: { n: 0 }, value: null };
    const removed = collection.document(record);
    collection.remove(record);
    return { lastErrorObject: { n: 1 }, value: shown(removed) };
  }
  if (command["update"] === undefined) {
    throw new CommandError("FailedToParse", "Either an update or remove=true must be specified");
  }
  const outcome = yield* runUpdate(catalog.ensure(db, name), {
    filter,
    update: command["update"],
    arrayFilters: command["arrayFilters"],
    sort: command["sort"],
    ...how,
    multi: false,
    upsert: command["upsert"] === true,
  });
  const upserted = outcome.upsertedId;
  return {
    lastErrorObject: {
      n: outcome.matched + (upserted === undefined ? 0 : 1),
      updatedExisting: outcome.matched > 0,
      ...(upserted !== undefined && { upserted }),
    },
    value: shown(command["new"] === true ? outcome.after : outcome.before),
  };
};

/** MongoDB's limit of operations in one write command. */
export const MAX_WRITE_BATCH = 100_000;

/** Errors that end the command instead of one statement. */
const INTERRUPTIONS = new Set([
  "MaxTimeMSExpired",
  "Interrupted",
  "OperationNotSupportedInTransaction",
  "TransactionTooLarge",
  "WriteConflict",
]);

/**
 * Runs the statements of a write command in order. An error becomes a write error of its statement and, if ordered, ends the
 * command. Errors that are not specific to a statement are rethrown.
 */
function* runStatements<T>(
  statements: readonly T[],
  ordered: boolean,
  run: (statement: T, index: number) => Task<void> | void,
): Task<PlainObject> {
  if (statements.length === 0 || statements.length > MAX_WRITE_BATCH) {
    throw new CommandError(
      "InvalidLength",
      `Write batch sizes must be between 1 and ${MAX_WRITE_BATCH}. Got ${statements.length} operations.`,
    );
  }
  const writeErrors: PlainObject[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      const task = run(statement, index);
      if (task) yield* task;
    } catch (error) {
      if (!(error instanceof CommandError) || INTERRUPTIONS.has(error.codeName)) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message, ...error.details });
      if (ordered) break;
    }
    if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
  }
  return writeErrors.length > 0 ? { writeErrors } : {};
}

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
