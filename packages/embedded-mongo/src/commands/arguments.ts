import { CommandError } from "../errors.ts";
import type { QueryOptions } from "../query/select.ts";
import type { Collection } from "../storage/collection.ts";
import { parseCollation } from "../values/collation.ts";
import { isObject, type PlainObject, typeName } from "../values/types.ts";
import type { Command, CommandContext } from "./context.ts";

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
