import { CommandError } from "../errors.ts";
import { compileProjection } from "../query/projection.ts";
import { checkSelection, selectOne } from "../query/select.ts";
import { objectField, queryOptions, targetName } from "./arguments.ts";
import type { Handler } from "./context.ts";
import { runUpdate } from "./run-update.ts";

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
