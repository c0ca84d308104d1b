import { isPauseDue, PAUSE, type Pausing, weightOf } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { runAggregate } from "../aggregate/run.ts";
import { compileProjection, type Projector } from "../query/projection.ts";
import { checkSelection, countMatches, select } from "../query/select.ts";
import type { TextScores } from "../query/text-search.ts";
import type { StoredRecord } from "../storage/database.ts";
import { sortAll } from "../query/sort.ts";
import { Distinct } from "../expression/distinct.ts";
import {
  decodeExact,
  decodeFields,
  encode,
  pack,
  type PackedDocument,
  packNames,
  unpack,
} from "../values/codec.ts";
import { compareExactly } from "../values/order.ts";
import { integerOption } from "../values/numbers.ts";
import { collectValues, splitPath } from "../values/path.ts";
import {
  arrayField,
  findTarget,
  objectField,
  queryOptions,
  targetName,
  type Handler,
  type CommandContext,
} from "./context.ts";
import { CursorBatch, DEFAULT_FIRST_BATCH } from "./cursor-store.ts";

function nonNegative(value: unknown, name: string): number {
  const number = integerOption(value, name, 0);
  if (number < 0)
    throw new CommandError("BadValue", `BSON field '${name}' value must be >= 0, actual value '${number}'`);
  return number;
}

const batchSizeOf = (value: unknown): number | undefined =>
  value === undefined ? undefined : nonNegative(value, "batchSize");

function projectedData(
  { order, data }: StoredRecord,
  project: Projector,
  textScores?: TextScores,
): PackedDocument {
  return pack(encode(project(decodeExact(unpack(data)), textScores?.get(order))));
}

function* projected(
  records: Pausing<StoredRecord>,
  project: Projector | undefined,
  textScores: TextScores | undefined,
): Generator<PackedDocument | typeof PAUSE> {
  for (const record of records) {
    if (record === PAUSE) yield PAUSE;
    else if (!project) yield record.data;
    else {
      yield projectedData(record, project, textScores);
      if (isPauseDue(weightOf(record.data.length))) yield PAUSE;
    }
  }
}

function projectAll(
  records: readonly StoredRecord[],
  project: Projector | undefined,
): readonly PackedDocument[] {
  return records.map((record) => (project ? projectedData(record, project) : record.data));
}

const find: Handler = (command, context) => {
  const collection = findTarget(command, context);
  const filter = objectField(command, "filter");
  const limit = integerOption(command["limit"], "limit", 0);
  const single = command["singleBatch"] === true || limit < 0;
  const namespace = `${context.db}.${targetName(command)}`;
  const batchSize = batchSizeOf(command["batchSize"]);
  if (command["tailable"] === true)
    throw new CommandError(
      "BadValue",
      "error processing query: tailable cursor requested on non capped collection",
    );
  const { sort } = command;
  const how = queryOptions(command, collection);
  if (!collection) {
    checkSelection({ filter, sort, ...how });
    return context.cursors.open(namespace, [], batchSize, single, context.transaction);
  }
  const project = compileProjection(command["projection"], filter, how);
  const skip = nonNegative(command["skip"], "skip");
  const { records, textScores } = select(collection, {
    filter,
    sort,
    skip,
    limit: Math.abs(limit),
    batchSize: single ? Number.POSITIVE_INFINITY : (batchSize ?? DEFAULT_FIRST_BATCH),
    ...how,
  });
  if (Array.isArray(records))
    return new CursorBatch(0, namespace, "firstBatch", projectAll(records, project));
  const results = projected(records, project, textScores);
  return context.cursors.open(namespace, results, batchSize, single, context.transaction);
};

const aggregate: Handler = function* (command, context) {
  const pipeline = arrayField(command, "pipeline");
  const cursor = objectField(command, "cursor");
  const { aggregate: name } = command;
  const documents = yield* runAggregate(
    context.catalog,
    context.db,
    typeof name === "string" ? name : undefined,
    pipeline,
    queryOptions(command, typeof name === "string" ? findTarget(command, context) : undefined),
  );
  const namespace = `${context.db}.${typeof name === "string" ? name : "$cmd.aggregate"}`;
  const { cursors, transaction } = context;
  return yield* cursors.open(namespace, documents, batchSizeOf(cursor["batchSize"]), false, transaction);
};

const count: Handler = function* (command, context) {
  const collection = findTarget(command, context);
  const selection = { filter: objectField(command, "query"), ...queryOptions(command, collection) };
  if (!collection) {
    checkSelection(selection);
    return { n: 0 };
  }
  const limit = Math.abs(integerOption(command["limit"], "limit", 0));
  const all = yield* countMatches(collection, selection);
  const rest = Math.max(all - nonNegative(command["skip"], "skip"), 0);
  return { n: limit === 0 ? rest : Math.min(rest, limit) };
};

const distinct: Handler = function* (command, context) {
  const collection = findTarget(command, context);
  const { key } = command;
  if (typeof key !== "string") throw new CommandError("TypeMismatch", "'key' must be a string");
  const path = splitPath(key);
  const fields = packNames(path.slice(0, 1));
  const selection = { filter: objectField(command, "query"), ...queryOptions(command, collection) };
  if (!collection) {
    checkSelection(selection);
    return { values: [] };
  }
  const { collation } = selection;
  const distinct = new Distinct(collation);
  const add = (value: unknown) => {
    if (value !== undefined) distinct.add(value);
  };
  for (const record of select(collection, selection).records) {
    if (record === PAUSE) {
      yield PAUSE;
      continue;
    }
    for (const value of collectValues(decodeFields(record.data, fields), path)) {
      if (Array.isArray(value)) value.forEach(add);
      else add(value);
    }
  }
  const values = distinct.values.map((value) => ({ value }));
  const sorted = yield* sortAll(values, (a, b) => compareExactly(a.value, b.value, collation));
  return { values: sorted.map(({ value }) => value) };
};

const getMore: Handler = (command, { cursors, transaction }) =>
  cursors.next(
    integerOption(command["getMore"], "getMore", 0),
    batchSizeOf(command["batchSize"]),
    transaction,
  );

const killCursors: Handler = (command, { cursors }) => {
  const ids = arrayField(command, "cursors");
  const killed = ids.filter((id) => cursors.kill(integerOption(id, "cursors", 0)));
  return {
    cursorsKilled: killed,
    cursorsNotFound: ids.filter((id) => !killed.includes(id)),
    cursorsAlive: [],
    cursorsUnknown: [],
  };
};

export const readCommands: Record<string, Handler> = {
  find,
  aggregate,
  count,
  distinct,
  getMore,
  killCursors,
};

/**
 * `{fanfareEverything: 1}`: a cursor over a snapshot of all documents of a database, unordered. The documents of a collection are
 * preceded by `{collection, documents}` with its name and count. The cursor has its own read connection, so it doesn't block
 * writes, but the write-ahead log grows until it is exhausted or closed.
 */
const everything: Handler = (_command, { openSnapshot, cursors, db }) =>
  cursors.open(`${db}.$cmd.fanfareEverything`, allDocuments(openSnapshot, db), undefined);

function* allDocuments(
  openSnapshot: CommandContext["openSnapshot"],
  db: string,
): Generator<PackedDocument | typeof PAUSE> {
  const { catalog, close } = openSnapshot();
  try {
    for (const collection of catalog.collections(db).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      yield pack(encode({ collection: collection.name, documents: collection.count }));
      for (const record of collection.records()) yield record === PAUSE ? PAUSE : record.data;
    }
  } finally {
    close();
  }
}

export const everythingCommands: Record<string, Handler> = { fanfareEverything: everything };
