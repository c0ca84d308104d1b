import { CommandError } from "../errors.ts";
import { checkSelection, selectToChange } from "../query/select.ts";
import { encode } from "../values/codec.ts";
import { integerOption } from "../values/numbers.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { arrayField, findTarget, objectField, targetName } from "./arguments.ts";
import type { Handler } from "./context.ts";
import { runUpdate } from "./run-update.ts";
import { runStatements } from "./write-result.ts";

const asObject = (statement: unknown): PlainObject => {
  if (!isObject(statement))
    throw new CommandError("TypeMismatch", "Each statement of a write command must be an object");
  return statement;
};

const insert: Handler = (command, { catalog, db }) => {
  const documents = arrayField(command, "documents");
  const collection = catalog.ensure(db, targetName(command));
  let n = 0;
  const errors = runStatements(documents, command["ordered"] !== false, (document) => {
    collection.insert(document instanceof Uint8Array ? document : encode(asObject(document)));
    n++;
  });
  return { n, ...errors };
};

const update: Handler = (command, { catalog, db }) => {
  const collection = catalog.ensure(db, targetName(command));
  const upserted: PlainObject[] = [];
  let n = 0;
  let nModified = 0;
  const errors = runStatements(arrayField(command, "updates"), command["ordered"] !== false, (raw, index) => {
    const statement = asObject(raw);
    const result = runUpdate(collection, {
      filter: objectField(statement, "q"),
      update: statement["u"],
      arrayFilters: statement["arrayFilters"],
      sort: statement["sort"],
      hint: statement["hint"],
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

const remove: Handler = (command, context) => {
  const collection = findTarget(command, context);
  let n = 0;
  const errors = runStatements(arrayField(command, "deletes"), command["ordered"] !== false, (raw) => {
    const statement = asObject(raw);
    const filter = objectField(statement, "q");
    const limit = integerOption(statement["limit"], "limit", 0);
    const { hint } = statement;
    if (!collection) return checkSelection({ filter, hint });
    for (const record of selectToChange(collection, { filter, limit, hint })) {
      collection.remove(record);
      n++;
    }
  });
  return { n, ...errors };
};

export const writeCommands: Record<string, Handler> = { insert, update, delete: remove };
