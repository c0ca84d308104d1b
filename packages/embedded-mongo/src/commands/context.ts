import type { Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import type { StorageStatus } from "../storage/store.ts";
import type { Catalog } from "../storage/catalog.ts";
import type { Transaction } from "../storage/transactions.ts";
import { type PlainObject, isObject, typeName } from "../values/types.ts";
import type { CursorBatch, CursorStore } from "./cursor-store.ts";
import type { Sessions } from "./sessions.ts";
import type { QueryOptions } from "../query/select.ts";
import type { Collection } from "../storage/collection.ts";
import { parseCollation } from "../values/collation.ts";

export interface ServerStatus {
  readonly startedAt: number;
  connections(): number;
  storage(): StorageStatus;
  /** The commands that are paused. */
  operations(): { id: number; name: string; startedMs: number }[];
  /** Interrupts a paused command with an error. */
  interrupt(id: number, error: CommandError): void;
}

/** The context of a command. */
export interface CommandContext {
  readonly catalog: Catalog;
  /** A read-only view of all collections as of the last commit. The caller closes it. */
  readonly openSnapshot: () => { catalog: Catalog; close: () => void };
  readonly cursors: CursorStore;
  readonly sessions: Sessions;
  /** Commits all changes of this turn. @throws the disk's error, after a rollback */
  readonly commit: () => void;
  /** The transaction of the command. */
  readonly transaction?: Transaction;
  readonly status: ServerStatus;
  readonly db: string;
}

/** A received command, decoded with distinct BSON types. Document sequences are arrays of BSON bytes. */
export type Command = PlainObject;

export type Reply = PlainObject | CursorBatch;

/** A command that is always short returns its reply; one that can be long returns a task. */
export type Handler = (command: Command, context: CommandContext) => Reply | Task<Reply>;

/** The collection name of a command: the value of its first field. */
export function targetName(command: Command): string {
  const [field] = Object.keys(command);
  const name = command[field!];
  if (typeof name !== "string") {
    throw new CommandError("InvalidNamespace", `collection name has invalid type ${typeName(name)}`);
  }
  return name;
}

export const findTarget = (command: Command, { catalog, db }: CommandContext): Collection | undefined =>
  catalog.find(db, targetName(command));

/** @throws CommandError NamespaceNotFound */
export function requireTarget(command: Command, context: CommandContext): Collection {
  const collection = findTarget(command, context);
  if (!collection)
    throw new CommandError("NamespaceNotFound", `ns does not exist: ${context.db}.${targetName(command)}`);
  return collection;
}

/** An optional field that must be a document. */
export function objectField(command: Command, name: string): PlainObject {
  const value = command[name];
  if (value === undefined || value === null) return {};
  if (!isObject(value)) {
    throw new CommandError(
      "TypeMismatch",
      `BSON field '${name}' is the wrong type '${typeName(value)}', expected type 'object'`,
    );
  }
  return value;
}

/** The query options shared by commands and statements. The collation defaults to that of the collection. */
export const queryOptions = (
  { hint, collation }: PlainObject,
  collection: Collection | undefined,
): QueryOptions => ({
  hint,
  collation: collation === undefined ? collection?.collation : parseCollation(collation),
});

export function arrayField(command: Command, name: string): unknown[] {
  const value = command[name];
  if (!Array.isArray(value)) {
    throw new CommandError(
      "TypeMismatch",
      `BSON field '${name}' is the wrong type '${typeName(value)}', expected type 'array'`,
    );
  }
  return value;
}
