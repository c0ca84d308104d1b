import { UUID } from "bson";
import { CommandError } from "../errors.ts";
import { ID_INDEX, parseIndexSpec } from "../index/spec.ts";
import { compileFilter } from "../query/matcher.ts";
import { MAX_DOCUMENT_BYTES } from "../storage/collection.ts";
import { encode, pack } from "../values/codec.ts";
import { integerOption } from "../values/numbers.ts";
import type { PlainObject } from "../values/types.ts";
import { MAX_MESSAGE_BYTES } from "../wire/message.ts";
import {
  findTarget,
  objectField,
  requireTarget,
  targetName,
  type CommandContext,
  type Handler,
} from "./context.ts";
import { SESSION_MINUTES } from "./sessions.ts";
import { MAX_WRITE_BATCH } from "./write.ts";

const create: Handler = (command, { catalog, db }) => {
  const idIndex = parseIndexSpec({ key: { _id: 1 }, name: ID_INDEX, collation: command["collation"] });
  const collection = catalog.create(db, targetName(command));
  if (idIndex.collation) collection.setIdIndex(idIndex);
  return {};
};

const drop: Handler = (command, context) => {
  const { catalog, db } = context;
  // A search index is not listed as a collection, but dropped like one.
  if (catalog.dropSearch(db, targetName(command)) && findTarget(command, context) === undefined) return {};
  const collection = requireTarget(command, context);
  const nIndexesWas = collection.specs.length;
  catalog.drop(collection);
  return { nIndexesWas, ns: collection.namespace };
};

const dropDatabase: Handler = (_command, { catalog, db }) => {
  for (const collection of catalog.collections(db)) catalog.drop(collection);
  catalog.dropSearches(db);
  return { dropped: db };
};

function splitNamespace(value: unknown): [string, string] {
  if (typeof value !== "string" || !value.includes(".")) {
    throw new CommandError("InvalidNamespace", `Invalid namespace specified '${String(value)}'`);
  }
  const dot = value.indexOf(".");
  return [value.slice(0, dot), value.slice(dot + 1)];
}

const renameCollection: Handler = (command, { catalog }) => {
  const source = catalog.find(...splitNamespace(command["renameCollection"]));
  const [db, name] = splitNamespace(command["to"]);
  if (!source)
    throw new CommandError(
      "NamespaceNotFound",
      `Source collection ${String(command["renameCollection"])} does not exist`,
    );
  const target = catalog.find(db, name);
  if (target === source) throw new CommandError("IllegalOperation", "Can't rename a collection to itself");
  if (target && command["dropTarget"] !== true)
    throw new CommandError("NamespaceExists", "target namespace exists");
  if (target) catalog.drop(target);
  catalog.rename(source, db, name);
  return {};
};

const listCollections: Handler = (command, { catalog, db, cursors }) => {
  const test = compileFilter(objectField(command, "filter"));
  const documents = catalog
    .collections(db)
    .map(({ name, uuid, collation: { definition: collation } = {} }) => ({
      name,
      type: "collection",
      options: collation ? { collation } : {},
      info: { readOnly: false, uuid },
      idIndex: { v: 2, key: { _id: 1 }, name: "_id_", ...(collation && { collation }) },
    }))
    .filter(test);
  const batchSize = objectField(command, "cursor")["batchSize"];
  return cursors.open(
    `${db}.$cmd.listCollections`,
    documents.map((document) => pack(encode(document))),
    batchSize === undefined ? documents.length : integerOption(batchSize, "batchSize", 0),
  );
};

const sizeOf = ({ catalog }: CommandContext, db: string): number =>
  catalog.collections(db).reduce((sum, { documentBytes, indexBytes }) => sum + documentBytes + indexBytes, 0);

const listDatabases: Handler = (command, context) => {
  const test = compileFilter(objectField(command, "filter"));
  const databases = context.catalog
    .databases()
    .map((name) => ({ name, sizeOnDisk: sizeOf(context, name), empty: false }))
    .filter(test);
  const shown = command["nameOnly"] === true ? databases.map(({ name }) => ({ name })) : databases;
  return { databases: shown, totalSize: databases.reduce((sum, { sizeOnDisk }) => sum + sizeOnDisk, 0) };
};

const collStats: Handler = (command, context) => {
  const collection = findTarget(command, context);
  const count = collection?.count ?? 0;
  const size = collection?.documentBytes ?? 0;
  return {
    ns: `${context.db}.${targetName(command)}`,
    count,
    size,
    avgObjSize: count === 0 ? 0 : Math.round(size / count),
    storageSize: size,
    nindexes: collection?.specs.length ?? 0,
    totalIndexSize: collection?.indexBytes ?? 0,
    capped: false,
  };
};

const dbStats: Handler = (_command, { catalog, db }) => {
  const collections = catalog.collections(db);
  const sum = (of: (collection: (typeof collections)[number]) => number) =>
    collections.reduce((total, collection) => total + of(collection), 0);
  return {
    db,
    collections: collections.length,
    views: 0,
    objects: sum(({ count }) => count),
    dataSize: sum(({ documentBytes }) => documentBytes),
    storageSize: sum(({ documentBytes }) => documentBytes),
    indexes: sum(({ specs }) => specs.length),
    indexSize: sum(({ indexBytes }) => indexBytes),
  };
};

const VERSION = "7.0.0";

const hello: Handler = () => ({
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  maxBsonObjectSize: MAX_DOCUMENT_BYTES,
  maxMessageSizeBytes: MAX_MESSAGE_BYTES,
  maxWriteBatchSize: MAX_WRITE_BATCH,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: SESSION_MINUTES,
  minWireVersion: 0,
  maxWireVersion: 21,
  readOnly: false,
});

const buildInfo: Handler = () => ({
  version: VERSION,
  versionArray: VERSION.split(".").map(Number).concat(0),
  gitVersion: "fanfare-embedded",
  modules: ["fanfare-embedded-mongo"],
  bits: 64,
  maxBsonObjectSize: MAX_DOCUMENT_BYTES,
  storageEngines: ["fanfare-embedded-mongo"],
});

const serverStatus: Handler = (_command, { cursors, status }) => ({
  host: "localhost",
  version: VERSION,
  process: "fanfare-embedded-mongo",
  pid: process.pid,
  uptime: Math.round((Date.now() - status.startedAt) / 1000),
  localTime: new Date(),
  connections: { current: status.connections() },
  metrics: { cursor: { open: { total: cursors.size } } },
  storageEngine: { name: "fanfare-embedded-mongo", persistent: true, supportsCommittedReads: true },
  fanfare: {
    ...status.storage(),
    heapUsedBytes: process.memoryUsage().heapUsed,
    rssBytes: process.memoryUsage.rss(),
    cpuMicros: process.cpuUsage().user + process.cpuUsage().system,
  } satisfies PlainObject,
});

/** The other long commands; short ones never overlap with this command. */
const currentOp: Handler = (_command, { status }) => ({
  inprog: status.operations().map(({ id, name, startedMs }) => ({
    type: "op",
    active: true,
    opid: id,
    command: { [name]: 1 },
    secs_running: Math.floor((Date.now() - startedMs) / 1000),
  })),
});

const killOp: Handler = (command, { status }) => {
  const id = integerOption(command["op"], "op", 0);
  status.interrupt(id, new CommandError("Interrupted", "operation was interrupted"));
  return { info: "attempting to kill op" };
};

const nothing: Handler = () => ({});

const startSession: Handler = () => ({ id: { id: new UUID() }, timeoutMinutes: SESSION_MINUTES });

export const adminCommands: Record<string, Handler> = {
  hello,
  isMaster: hello,
  ismaster: hello,
  ping: nothing,
  buildInfo,
  buildinfo: buildInfo,
  serverStatus,
  currentOp,
  killOp,
  connectionStatus: () => ({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } }),
  getParameter: nothing,
  getLog: () => ({ totalLinesWritten: 0, log: [] }),
  startSession,
  fsync: nothing,
  create,
  drop,
  dropDatabase,
  renameCollection,
  listCollections,
  listDatabases,
  collStats,
  dbStats,
};
