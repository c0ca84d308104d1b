import { CHANGE_WEIGHT, isPauseDue, PAUSE, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import type { PlainObject } from "../values/types.ts";

/** MongoDB's limit of operations in one write command. */
const MAX_WRITE_BATCH = 100_000;

/** Errors that end the command instead of one statement. */
const INTERRUPTIONS = new Set([
  "MaxTimeMSExpired",
  "Interrupted",
  "OperationNotSupportedInTransaction",
  "TransactionTooLarge",
  "WriteConflict",
]);

/**
 * Runs the statements of a write command in order. An error becomes a write error of its statement and, if ordered, ends the
 * command. Errors that are not specific to a statement are rethrown.
 */
export function* runStatements<T>(
  statements: readonly T[],
  ordered: boolean,
  run: (statement: T, index: number) => Task<void> | void,
): Task<PlainObject> {
  if (statements.length === 0 || statements.length > MAX_WRITE_BATCH) {
    throw new CommandError(
      "InvalidLength",
      `Write batch sizes must be between 1 and ${MAX_WRITE_BATCH}. Got ${statements.length} operations.`,
    );
  }
  const writeErrors: PlainObject[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      const task = run(statement, index);
      if (task) yield* task;
    } catch (error) {
      if (!(error instanceof CommandError) || INTERRUPTIONS.has(error.codeName)) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message, ...error.details });
      if (ordered) break;
    }
    if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
  }
  return writeErrors.length > 0 ? { writeErrors } : {};
}
