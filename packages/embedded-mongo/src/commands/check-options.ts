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
 * Supported options per command; all others are rejected. `honoured` options are read by the handler. `harmless` options have no effect here: in
 * MongoDB they change how a result is computed or validated, not the result.
 */
const OPTIONS: Readonly<Record<string, { honoured: readonly string[]; harmless?: readonly string[] }>> = {
  find: {
    honoured: [
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
    harmless: ["allowDiskUse", "allowPartialResults", "awaitData", "noCursorTimeout", "oplogReplay"],
  },
  aggregate: {
    honoured: ["pipeline", "cursor", "let", "hint", "collation"],
    harmless: ["allowDiskUse", "bypassDocumentValidation"],
  },
  count: { honoured: ["query", "limit", "skip", "hint", "collation"], harmless: ["fields"] },
  distinct: { honoured: ["key", "query", "hint", "collation"] },
  getMore: { honoured: ["collection", "batchSize"] },
  insert: { honoured: ["documents", "ordered"], harmless: ["bypassDocumentValidation"] },
  update: { honoured: ["updates", "ordered", "let"], harmless: ["bypassDocumentValidation"] },
  delete: { honoured: ["deletes", "ordered", "let"] },
  findAndModify: {
    honoured: [
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
    harmless: ["bypassDocumentValidation"],
  },
  create: {
    honoured: ["collation"],
    harmless: ["idIndex", "indexOptionDefaults", "storageEngine", "validationAction", "validationLevel"],
  },
  createIndexes: { honoured: ["indexes"], harmless: ["commitQuorum", "ignoreUnknownIndexOptions"] },
};

/** Supported options of each element of `updates` and `deletes`. */
const STATEMENTS = {
  updates: new Set(["q", "u", "multi", "upsert", "arrayFilters", "sort", "hint", "collation"]),
  deletes: new Set(["q", "limit", "hint", "collation"]),
};

const known = new Map(
  Object.entries(OPTIONS).map(([name, { honoured, harmless = [] }]) => [
    name.toLowerCase(),
    new Set([name, name.toLowerCase(), ...honoured, ...harmless, ...EVERYWHERE]),
  ]),
);

/**
 * Rejects options that would change the result but are not supported.
 * @throws {CommandError} InvalidOptions, NotAReplicaSet
 */
export function checkOptions(command: PlainObject): void {
  const [name = ""] = Object.keys(command);
  const taken = known.get(name.toLowerCase());
  if (taken === undefined) return;
  refuseOthers(name, command, taken);
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
      if (isObject(statement)) refuseOthers(name, statement, options);
    }
  }
}

function refuseOthers(command: string, given: PlainObject, taken: ReadonlySet<string>): void {
  for (const [option, value] of Object.entries(given)) {
    if (taken.has(option) || isDefault(option, value)) continue;
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
