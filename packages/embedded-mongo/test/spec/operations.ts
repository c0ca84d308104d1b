import { finished } from "node:stream/promises";
import { type Collection, type Document, type FindCursor, type MongoClient, MongoError } from "mongodb";
import { driverOptions, type Entities } from "./entities.ts";
import type { Operation } from "./format.ts";
import { match, matchError, Mismatch } from "./match.ts";

interface Call {
  readonly entities: Entities;
  /** The name of the entity that the operation is called on. */
  readonly object: string;
  /** A client besides the test's entities, for fail points and reading the stored data. */
  readonly internal: MongoClient;
  readonly options: Document;
  /** Runs an operation of a callback. @returns the error that the test expects */
  readonly run: (operation: Operation) => Promise<unknown>;
}

type Run = (call: Call) => unknown;

/** An operation on a collection, with its options. */
const onCollection =
  (run: (collection: Collection, options: Document) => unknown): Run =>
  ({ entities, object, options }) =>
    run(entities.collection(object), options);

/** Converts `returnDocument` for the driver. */
function returned({ returnDocument, ...options }: Document): Document {
  if (returnDocument === undefined) return options;
  if (!["Before", "After"].includes(returnDocument))
    throw new Mismatch(`returnDocument can't be ${returnDocument}`);
  return { ...options, returnDocument: returnDocument.toLowerCase() };
}

const cursorOf = ({ entities, object }: Call) => entities.find(object) as FindCursor;

function runCursorCommand({ entities, object, options }: Call) {
  const { command, batchSize, maxTimeMS, comment, cursorType: _, ...rest } = options;
  const cursor = entities.db(object).runCursorCommand(command, rest);
  if (batchSize !== undefined) cursor.setBatchSize(batchSize);
  if (maxTimeMS !== undefined) cursor.setMaxTimeMS(maxTimeMS);
  if (comment !== undefined) cursor.setComment(comment);
  return cursor;
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new Mismatch(message);
}

/** The session ids of the client's last two commands. */
const lastSessionIds = ({ entities, options }: Call): unknown[] =>
  entities
    .events(options["client"])
    .filter(({ name }) => name === "commandStartedEvent")
    .slice(-2)
    .map(({ details }) => details["command"].lsid.id.toString("hex"));

const names = (documents: readonly Document[]): unknown[] => documents.map(({ name }) => name);

const collectionNames = async ({ internal, options }: Call) =>
  names(await internal.db(options["databaseName"]).listCollections().toArray());

const indexNames = async ({ internal, options }: Call) => {
  const { databaseName, collectionName } = options;
  return names(await internal.db(databaseName).collection(collectionName).indexes()).concat();
};

const isPinned = ({ options }: Call): boolean => options["session"].isPinned;
const isDirty = ({ options }: Call): boolean => options["session"].serverSession.isDirty;

const TRANSACTION_STATES: Record<string, string> = {
  none: "NO_TRANSACTION",
  starting: "STARTING_TRANSACTION",
  in_progress: "TRANSACTION_IN_PROGRESS",
  committed: "TRANSACTION_COMMITTED",
  aborted: "TRANSACTION_ABORTED",
};

const collectionOperations: Record<string, Run> = {
  aggregate: ({ entities, object, options: { pipeline, ...options } }) =>
    (entities.find(object) as Collection).aggregate(pipeline, options).toArray(),
  bulkWrite: onCollection((collection, { requests, ...options }) => collection.bulkWrite(requests, options)),
  count: onCollection((collection, { filter, ...options }) => collection.count(filter, options)),
  countDocuments: onCollection((collection, { filter, ...options }) =>
    collection.countDocuments(filter, options),
  ),
  createIndex: onCollection((collection, { keys, ...options }) => collection.createIndex(keys, options)),
  createFindCursor: onCollection(async (collection, { filter, ...options }) => {
    if (filter === undefined) throw new Mismatch("createFindCursor needs a filter");
    const cursor = collection.find(filter, options);
    await cursor.hasNext();
    return cursor;
  }),
  createSearchIndex: onCollection((collection, { model }) => collection.createSearchIndex(model)),
  createSearchIndexes: onCollection((collection, { models }) => collection.createSearchIndexes(models)),
  deleteMany: onCollection((collection, { filter, ...options }) => collection.deleteMany(filter, options)),
  deleteOne: onCollection((collection, { filter, ...options }) => collection.deleteOne(filter, options)),
  distinct: onCollection((collection, { fieldName, filter, ...options }) =>
    collection.distinct(fieldName, filter, options),
  ),
  dropIndex: onCollection((collection, { name, ...options }) => collection.dropIndex(name, options)),
  dropIndexes: onCollection((collection, options) => collection.dropIndexes(options)),
  dropSearchIndex: onCollection((collection, { name }) => collection.dropSearchIndex(name)),
  estimatedDocumentCount: onCollection((collection, options) => collection.estimatedDocumentCount(options)),
  find: onCollection((collection, { filter, ...options }) => collection.find(filter, options).toArray()),
  findOne: onCollection((collection, { filter, ...options }) => collection.findOne(filter, options)),
  findOneAndDelete: onCollection((collection, { filter, ...options }) =>
    collection.findOneAndDelete(filter, options),
  ),
  findOneAndReplace: onCollection((collection, { filter, replacement, ...options }) =>
    collection.findOneAndReplace(filter, replacement, returned(options)),
  ),
  findOneAndUpdate: onCollection((collection, { filter, update, ...options }) =>
    collection.findOneAndUpdate(filter, update, returned(options)),
  ),
  insertMany: onCollection((collection, { documents, ...options }) =>
    collection.insertMany(documents, options),
  ),
  insertOne: onCollection((collection, { document, ...options }) => collection.insertOne(document, options)),
  listIndexes: onCollection((collection, options) => collection.listIndexes(options).toArray()),
  listIndexNames: onCollection(async (collection, options) => names(await collection.indexes(options))),
  listSearchIndexes: onCollection((collection, { name, aggregationOptions }) =>
    collection.listSearchIndexes(name, aggregationOptions).toArray(),
  ),
  rename: onCollection((collection, { to, ...options }) => collection.rename(to, options)),
  replaceOne: onCollection((collection, { filter, replacement, ...options }) =>
    collection.replaceOne(filter, replacement, options),
  ),
  updateMany: onCollection((collection, { filter, update, ...options }) =>
    collection.updateMany(filter, update, options),
  ),
  updateOne: onCollection((collection, { filter, update, ...options }) =>
    collection.updateOne(filter, update, options),
  ),
  updateSearchIndex: onCollection((collection, { name, definition }) =>
    collection.updateSearchIndex(name, definition),
  ),
};

const otherOperations: Record<string, Run> = {
  clientBulkWrite: ({ entities, object, options: { models, ...options } }) =>
    entities.client(object).bulkWrite(
      models.map((model: Document) => {
        const [[name, fields]] = Object.entries(model) as [[string, Document]];
        return { name, ...fields };
      }),
      options,
    ),
  createChangeStream: async ({ entities, object, options: { pipeline, ...options } }) => {
    const stream = (entities.find(object) as Collection).watch(pipeline, options);
    await stream.tryNext();
    return stream;
  },
  listDatabases: ({ entities, object, options }) =>
    entities.client(object).db().admin().listDatabases(options),
  listDatabaseNames: async ({ entities, object, options }) =>
    names(
      (
        await entities
          .client(object)
          .db()
          .admin()
          .listDatabases({ ...options, nameOnly: true })
      ).databases,
    ),
  createCollection: ({ entities, object, options: { collection, ...options } }) =>
    entities.db(object).createCollection(collection, options),
  dropCollection: ({ entities, object, options: { collection, ...options } }) =>
    entities.db(object).dropCollection(collection, options),
  listCollections: ({ entities, object, options: { filter, ...options } }) =>
    entities.db(object).listCollections(filter, options).toArray(),
  listCollectionNames: async ({ entities, object, options: { filter, ...options } }) =>
    names(
      await entities
        .db(object)
        .listCollections(filter, { ...options, nameOnly: true })
        .toArray(),
    ),
  modifyCollection: ({ entities, object, options: { collection, ...options } }) =>
    entities.db(object).command({ collMod: collection, ...options }),
  runCommand: ({ entities, object, options: { command, commandName, ...options } }) =>
    entities.db(object).command({ [commandName]: command[commandName], ...command }, options),
  runCursorCommand: (call) => runCursorCommand(call).toArray(),
  createCommandCursor: async (call) => {
    const cursor = runCursorCommand(call);
    await cursor.hasNext();
    return cursor;
  },
  iterateOnce: (call) => cursorOf(call).tryNext(),
  iterateUntilDocumentOrError: (call) => cursorOf(call).next(),
  close: (call) => cursorOf(call).close(),
  download: ({ entities, object, options: { id, ...options } }) =>
    entities
      .bucket(object)
      .openDownloadStream(id, options)
      .toArray()
      .then((chunks) => Buffer.concat(chunks)),
  downloadByName: ({ entities, object, options: { filename, ...options } }) =>
    entities
      .bucket(object)
      .openDownloadStreamByName(filename, options)
      .toArray()
      .then((chunks) => Buffer.concat(chunks)),
  delete: ({ entities, object, options: { id } }) => entities.bucket(object).delete(id),
  upload: async ({ entities, object, options: { filename, source, ...options } }) => {
    const stream = entities.bucket(object).openUploadStream(filename, options);
    stream.end(Buffer.from(source.$$hexBytes, "hex"));
    await finished(stream);
    return stream.id;
  },
  startTransaction: ({ entities, object, options }) => entities.session(object).startTransaction(options),
  commitTransaction: ({ entities, object, options }) => entities.session(object).commitTransaction(options),
  abortTransaction: ({ entities, object, options }) => entities.session(object).abortTransaction(options),
  endSession: ({ entities, object }) => entities.session(object).endSession(),
  withTransaction: ({ entities, object, run, options: { callback, ...options } }) =>
    entities.session(object).withTransaction(async () => {
      for (const operation of callback) {
        const error = await run(operation);
        // The driver must receive the callback's error, even if it is expected.
        if (error !== undefined) throw error;
      }
    }, options),
};

const testRunnerOperations: Record<string, Run> = {
  createEntities: ({ entities, options }) => entities.create(options["entities"]),
  failPoint: ({ internal, options }) => internal.db("admin").command(options["failPoint"]),
  targetedFailPoint: ({ internal, options }) => internal.db("admin").command(options["failPoint"]),
  assertCollectionExists: async (call) =>
    check(
      (await collectionNames(call)).includes(call.options["collectionName"]),
      "the collection doesn't exist",
    ),
  assertCollectionNotExists: async (call) =>
    check(!(await collectionNames(call)).includes(call.options["collectionName"]), "the collection exists"),
  assertIndexExists: async (call) =>
    check((await indexNames(call)).includes(call.options["indexName"]), "the index doesn't exist"),
  assertIndexNotExists: async (call) =>
    check(!(await indexNames(call)).includes(call.options["indexName"]), "the index exists"),
  assertSameLsidOnLastTwoCommands: (call) =>
    check(new Set(lastSessionIds(call)).size === 1, "the commands have different sessions"),
  assertDifferentLsidOnLastTwoCommands: (call) =>
    check(new Set(lastSessionIds(call)).size === 2, "the commands have the same session"),
  assertSessionDirty: (call) => check(isDirty(call), "the session isn't dirty"),
  assertSessionNotDirty: (call) => check(!isDirty(call), "the session is dirty"),
  assertSessionPinned: (call) => check(isPinned(call), "the session isn't pinned"),
  assertSessionUnpinned: (call) => check(!isPinned(call), "the session is pinned"),
  assertSessionTransactionState: ({ options: { session, state } }) =>
    check(
      session.transaction.state === TRANSACTION_STATES[state],
      `the transaction is ${session.transaction.state}`,
    ),
  assertNumberConnectionsCheckedOut: ({ entities, options }) =>
    match(
      options["connections"],
      entities.checkedOut(options["client"]),
      entities.find,
      true,
      "connections in use",
    ),
};

const operations = new Map(
  Object.entries({ ...collectionOperations, ...otherOperations, ...testRunnerOperations }),
);

/**
 * Runs an operation and compares its result.
 * @returns the expected or ignored error, if any
 * @throws {Mismatch} and errors that the test doesn't expect
 */
export async function runOperation(
  operation: Operation,
  entities: Entities,
  internal: MongoClient,
): Promise<unknown> {
  const run = operations.get(operation.name);
  if (!run) throw new Error(`the driver has no operation ${operation.name}`);
  const options = driverOptions(operation.arguments);
  if (typeof options["session"] === "string") options["session"] = entities.session(options["session"]);
  const runInner = (inner: Operation) => runOperation(inner, entities, internal);
  const { ignoreResultAndError, expectError, expectResult, saveResultAsEntity } = operation;
  let result: unknown;
  try {
    result = await run({ entities, object: operation.object, internal, options, run: runInner });
  } catch (error) {
    const isIgnored = ignoreResultAndError === true && error instanceof MongoError;
    if (error instanceof Mismatch || !(isIgnored || expectError)) throw error;
    if (expectError) matchError(expectError, error, entities.find);
    return error;
  }
  if (expectError) throw new Mismatch(`${operation.name} succeeded instead of failing`);
  if (ignoreResultAndError) return undefined;
  if (expectResult !== undefined) match(expectResult, result, entities.find);
  if (saveResultAsEntity !== undefined) entities.set(saveResultAsEntity, result);
  return undefined;
}
