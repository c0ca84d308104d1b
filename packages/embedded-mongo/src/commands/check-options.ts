import { CommandError } from "../errors.ts";
import { isObject, type PlainObject } from "../values/types.ts";

/** Accepted by every command. Cluster time and API versions have no effect; sessions and read concerns only in transactions. */
const EVERYWHERE = [
  "$db",
  "$clusterTime",
  "$readPreference",
  "apiDeprecationErrors",
  "apiStrict",
  "apiVersion",
  "autocommit",
  "comment",
  "lsid",
  "maxTimeMS",
  "readConcern",
  "startTransaction",
  "txnNumber",
  "writeConcern",
];

/**
 * Accepted options per command; all others are rejected. `supported` options are read by the handler. `ignored` options have no
 * effect: in MongoDB they change how a result is computed or validated, not the result.
 */
const OPTIONS: Readonly<Record<string, { supported: readonly string[]; ignored?: readonly string[] }>> = {
  find: {
    supported: [
      "filter",
      "projection",
      "sort",
      "skip",
      "limit",
      "batchSize",
      "singleBatch",
      "tailable",
      "let",
      "hint",
      "collation",
    ],
    ignored: ["allowDiskUse", "allowPartialResults", "awaitData", "noCursorTimeout", "oplogReplay"],
  },
  aggregate: {
    supported: ["pipeline", "cursor", "let", "hint", "collation"],
    ignored: ["allowDiskUse", "bypassDocumentValidation"],
  },
  count: { supported: ["query", "limit", "skip", "hint", "collation"], ignored: ["fields"] },
  distinct: { supported: ["key", "query", "hint", "collation"] },
  getMore: { supported: ["collection", "batchSize"] },
  insert: { supported: ["documents", "ordered"], ignored: ["bypassDocumentValidation"] },
  update: { supported: ["updates", "ordered", "let"], ignored: ["bypassDocumentValidation"] },
  delete: { supported: ["deletes", "ordered", "let"] },
  findAndModify: {
    supported: [
      "query",
      "update",
      "fields",
      "new",
      "upsert",
      "remove",
      "sort",
      "arrayFilters",
      "let",
      "hint",
      "collation",
    ],
    ignored: ["bypassDocumentValidation"],
  },
  create: {
    supported: ["collation"],
    ignored: ["idIndex", "indexOptionDefaults", "storageEngine", "validationAction", "validationLevel"],
  },
  createIndexes: { supported: ["indexes"], ignored: ["commitQuorum", "ignoreUnknownIndexOptions"] },
};

/** Supported options of each element of `updates` and `deletes`. */
const STATEMENTS = {
  updates: new Set(["q", "u", "multi", "upsert", "arrayFilters", "sort", "hint", "collation"]),
  deletes: new Set(["q", "limit", "hint", "collation"]),
};

const known = new Map(
  Object.entries(OPTIONS).map(([name, { supported, ignored = [] }]) => [
    name.toLowerCase(),
    new Set([name, name.toLowerCase(), ...supported, ...ignored, ...EVERYWHERE]),
  ]),
);

/**
 * Rejects options that would change the result but are not supported.
 * @throws {CommandError} InvalidOptions, NotAReplicaSet
 */
export function checkOptions(command: PlainObject): void {
  const [name = ""] = Object.keys(command);
  const accepted = known.get(name.toLowerCase());
  if (accepted === undefined) return;
  rejectOthers(name, command, accepted);
  const { readConcern, autocommit } = command;
  if (autocommit === undefined && isObject(readConcern) && readConcern["level"] === "snapshot")
    throw new CommandError(
      "NotAReplicaSet",
      "Read concern 'snapshot' requires a replica set: use MongoDB with MONGO_URL",
    );
  for (const [list, options] of Object.entries(STATEMENTS)) {
    const statements = command[list];
    if (!Array.isArray(statements)) continue;
    for (const statement of statements) {
      if (isObject(statement)) rejectOthers(name, statement, options);
    }
  }
}

function rejectOthers(command: string, given: PlainObject, accepted: ReadonlySet<string>): void {
  for (const [option, value] of Object.entries(given)) {
    if (accepted.has(option) || isDefault(option, value)) continue;
    throw new CommandError(
      "InvalidOptions",
      `The embedded database does not support the option '${option}' of ${command}: remove it, or use MongoDB with MONGO_URL`,
    );
  }
}

/** Whether a value is the default, which drivers and mongoose may send explicitly. */
function isDefault(option: string, value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  return option === "let" && isObject(value) && Object.keys(value).length === 0;
}
