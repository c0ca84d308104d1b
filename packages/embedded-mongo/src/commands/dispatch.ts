import { CommandScope, Operation, type Task } from "../command-scope.ts";
import { asCommandError, CommandError, ErrorCodes } from "../errors.ts";
import { evaluateVariables } from "../expression/context.ts";
import { integerOption } from "../values/numbers.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import { adminCommands } from "./admin.ts";
import { type Command, type CommandContext, type Handler, objectField, type Reply } from "./context.ts";
import { CursorBatch } from "./cursor-store.ts";
import { explain } from "./explain.ts";
import { indexCommands, searchCommands } from "./indexes.ts";
import { everythingCommands, readCommands } from "./read.ts";
import { sessionCommands } from "./sessions.ts";
import { findAndModify, writeCommands } from "./write.ts";

const HANDLERS: ReadonlyMap<string, Handler> = new Map(
  Object.entries({
    ...adminCommands,
    ...everythingCommands,
    ...indexCommands,
    ...readCommands,
    ...searchCommands,
    ...sessionCommands,
    ...writeCommands,
    findAndModify,
    findandmodify: findAndModify,
    explain,
  }),
);

/** The reply of a failed command in MongoDB's format. */
export function failure(error: unknown): PlainObject {
  const known = asCommandError(error);
  return {
    ok: 0,
    errmsg: known?.message ?? (error instanceof Error ? error.message : String(error)),
    code: known?.code ?? ErrorCodes.InternalError,
    codeName: known?.codeName ?? "InternalError",
    ...known?.details,
  };
}

/** Rejects retryable writes like a standalone MongoDB. */
function rejectTransactionNumber(): never {
  throw new CommandError(
    "IllegalOperation",
    "Transaction numbers are only allowed on a replica set member or mongos",
  );
}

const isTask = (result: Reply | Task<Reply>): result is Task<Reply> => Symbol.iterator in result;

const okay = (reply: Reply): Reply => (reply instanceof CursorBatch ? reply : { ...reply, ok: 1 });

/**
 * Runs a command. Errors become replies.
 * @param untilMs when a long command must pause
 * @returns the operation of a paused command, for `resume`
 */
export function dispatch(
  command: Command,
  context: CommandContext,
  untilMs = Number.POSITIVE_INFINITY,
): Reply | Operation<Reply> {
  const [name = ""] = Object.keys(command);
  try {
    const handler = HANDLERS.get(name);
    if (!handler) throw new CommandError("CommandNotFound", `no such command: '${name}'`);
    const isInTransaction = command["autocommit"] !== undefined;
    if (!isInTransaction && command["txnNumber"] !== undefined) rejectTransactionNumber();
    checkOptions(command);
    const maxTimeMs = integerOption(command["maxTimeMS"], "maxTimeMS", 0);
    if (maxTimeMs < 0) throw new CommandError("BadValue", "maxTimeMS must not be negative");
    const scope = new CommandScope(maxTimeMs, evaluateVariables(objectField(command, "let")));
    return scope.run(untilMs, () => {
      const result = isInTransaction
        ? context.sessions.run(command, context, handler)
        : handler(command, context);
      if (!isTask(result)) return okay(result);
      const { done, value } = result.next();
      return done ? okay(value) : new Operation(result, scope);
    });
  } catch (error) {
    return failure(error);
  }
}

/** Continues a paused command. */
export function resume(operation: Operation<Reply>, untilMs: number): Reply | Operation<Reply> {
  try {
    const reply = operation.step(untilMs);
    return reply === undefined ? operation : okay(reply);
  } catch (error) {
    return failure(error);
  }
}

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
function checkOptions(command: PlainObject): void {
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
